package autodiff

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ofOne is the rule of an operation of one operand: the tangent of its result from that of the operand,
// the operand and the result.
func ofOne(tangent func(f *forward, g, x, y mlir.Value) mlir.Value) rule {
	return rule{jvp: func(f *forward, op mlir.Operation) {
		f.set(op.Result(0), tangent(f, f.operand(op, 0), op.Operand(0), op.Result(0)))
	}}
}

// ofTwo is the rule of an operation of two operands: the parts of the tangent of its result that belong
// to the tangents of x and of y. If ofX is nil, there must be no tangent of x.
func ofTwo(ofX, ofY func(f *forward, g, x, y, z mlir.Value) mlir.Value) rule {
	return rule{jvp: func(f *forward, op mlir.Operation) {
		x, y, z := op.Operand(0), op.Operand(1), op.Result(0)
		if g := f.tangent(x); !g.IsNil() {
			if ofX == nil {
				fail(op, "the derivative with respect to its first operand is not known: use a constant")
			}
			f.accumulate(z, ofX(f, g, x, y, z))
		}
		if g := f.tangent(y); !g.IsNil() {
			f.accumulate(z, ofY(f, g, x, y, z))
		}
	}}
}

// elementwise has the operations of each element that are not linear. The derivatives are those of JAX,
// also where they are a convention: that of abs is 1 at 0, maximum and minimum of equal operands share
// it, and the one of a rounding is 0.
var elementwise = map[string]rule{
	"stablehlo.exponential": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value { return f.mul(g, y) }),
	"stablehlo.exponential_minus_one": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.mul(g, f.add(y, f.like(y, 1)))
	}),
	"stablehlo.log": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.div(g, x) }),
	"stablehlo.log_plus_one": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.div(g, f.add(x, f.like(x, 1)))
	}),
	"stablehlo.logistic": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.mul(g, f.mul(y, f.sub(f.like(y, 1), y)))
	}),
	"stablehlo.tanh": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.mul(f.add(g, f.mul(g, y)), f.sub(f.like(y, 1), y))
	}),
	"stablehlo.sine": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Unary(stablehlo.Cosine, x))
	}),
	"stablehlo.cosine": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.neg(f.mul(g, f.Unary(stablehlo.Sine, x)))
	}),
	"stablehlo.tan": ofOne(tan),
	"stablehlo.sqrt": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.mul(g, f.div(f.like(y, 0.5), y))
	}),
	"stablehlo.rsqrt": ofOne(func(f *forward, g, x, y mlir.Value) mlir.Value {
		return f.mul(g, f.scale(f.div(y, x), -0.5))
	}),
	"stablehlo.cbrt": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.mul(g, f.div(f.like(y, 1./3), f.square(y)))
	}),
	"stablehlo.abs": ofOne(abs),

	"stablehlo.power": ofTwo(
		func(f *forward, g, x, y, _ mlir.Value) mlir.Value {
			return f.mul(g, f.mul(y, f.Binary(stablehlo.Power, x, f.sub(y, f.like(y, 1)))))
		},
		func(f *forward, g, x, _, z mlir.Value) mlir.Value {
			return f.mul(g, f.mul(f.Unary(stablehlo.Log, f.nonzero(x)), z))
		}),
	"stablehlo.atan2": ofTwo(
		func(f *forward, g, x, y, _ mlir.Value) mlir.Value {
			return f.mul(g, f.div(y, f.add(f.square(x), f.square(y))))
		},
		func(f *forward, g, x, y, _ mlir.Value) mlir.Value {
			return f.mul(g, f.div(f.neg(x), f.add(f.square(x), f.square(y))))
		}),
	"stablehlo.remainder": ofTwo(
		func(_ *forward, g, _, _, _ mlir.Value) mlir.Value { return g },
		func(f *forward, g, x, y, _ mlir.Value) mlir.Value {
			q := f.div(x, y)
			whole := f.mul(f.Unary(stablehlo.Sign, q), f.Unary(stablehlo.Floor, f.Unary(stablehlo.Abs, q)))
			return f.mul(g, f.neg(whole))
		}),
	"stablehlo.maximum": ofTwo(chosen,
		func(f *forward, g, x, y, z mlir.Value) mlir.Value { return chosen(f, g, y, x, z) }),
	"stablehlo.minimum": ofTwo(chosen,
		func(f *forward, g, x, y, z mlir.Value) mlir.Value { return chosen(f, g, y, x, z) }),
	"stablehlo.clamp": {jvp: clamp},

	"stablehlo.ceil": none, "stablehlo.floor": none, "stablehlo.sign": none,
	"stablehlo.round_nearest_afz": none, "stablehlo.round_nearest_even": none,
	"stablehlo.bitcast_convert": none, "stablehlo.rng": none, "stablehlo.rng_bit_generator": none,
}

func tan(f *forward, g, _, y mlir.Value) mlir.Value {
	return f.mul(g, f.add(f.square(y), f.like(y, 1)))
}

func abs(f *forward, g, x, y mlir.Value) mlir.Value {
	if !isComplex(x.Type()) {
		return f.Select(f.Compare(stablehlo.CompareGE, x, f.like(x, 0)), g, f.neg(g))
	}
	return f.real(f.mul(g, f.div(f.conj(x), f.nonzero(f.convert(y, x.Type())))))
}

// chosen returns the tangent of z, the maximum or minimum of x and y, that belongs to the tangent of x.
func chosen(f *forward, g, x, y, z mlir.Value) mlir.Value {
	one := f.like(x, 1)
	mine := f.Select(f.Compare(stablehlo.CompareEQ, x, z), one, f.like(x, 0))
	both := f.Select(f.Compare(stablehlo.CompareEQ, y, z), f.like(x, 2), one)
	return f.mul(g, f.div(mine, both))
}

// clamp passes on the tangent of the bound or the operand that is the result. At a bound it is zero.
func clamp(f *forward, op mlir.Operation) {
	x := op.Operand(1)
	bound := func(i int) mlir.Value { return f.Broadcast(op.Operand(i), nil, dims(x)...) }
	pass := func(i int, where func() mlir.Value) {
		if g := f.operand(op, i); !g.IsNil() {
			f.accumulate(op.Result(0), f.Select(where(), f.Broadcast(g, nil, dims(x)...), f.like(x, 0)))
		}
	}
	and := func(a, b mlir.Value) mlir.Value { return f.Binary(stablehlo.And, a, b) }
	pass(0, func() mlir.Value {
		return and(f.Compare(stablehlo.CompareGT, bound(0), x), f.Compare(stablehlo.CompareLT, bound(0), bound(2)))
	})
	pass(1, func() mlir.Value {
		return and(f.Compare(stablehlo.CompareGT, x, bound(0)), f.Compare(stablehlo.CompareLT, x, bound(2)))
	})
	pass(2, func() mlir.Value { return f.Compare(stablehlo.CompareLT, bound(2), x) })
}
