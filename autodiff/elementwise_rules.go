package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ofOne is the rule of an operation of one operand: the tangent of its result from that of the operand,
// the operand and the result. It multiplies the tangent by a number, so that it is its own transpose.
func ofOne(tangent func(e *emitter, g, x, y mlir.Value) mlir.Value) rule {
	return rule{
		jvp: func(f *forward, op mlir.Operation) {
			f.set(op.Result(0), tangent(f.emitter, f.operand(op, 0), op.Operand(0), op.Result(0)))
		},
		vjp: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return tangent(b.emitter, g, op.Operand(0), op.Result(0)) })
		},
	}
}

// ofTwo is the rule of an operation of two operands: the parts of the tangent of its result that belong
// to the tangents of x and of y. If ofX is nil, there must be no tangent of x.
func ofTwo(ofX, ofY func(e *emitter, g, x, y, z mlir.Value) mlir.Value) rule {
	if ofX == nil {
		ofX = func(_ *emitter, _, _, _, z mlir.Value) mlir.Value {
			transform.Fail(z.Owner(), "the derivative with respect to its first operand is not known: use a constant")
			return z
		}
	}
	parts := []func(e *emitter, g, x, y, z mlir.Value) mlir.Value{ofX, ofY}
	return rule{
		jvp: func(f *forward, op mlir.Operation) {
			for i, part := range parts {
				if g := f.operand(op, i); !g.IsNil() {
					f.accumulate(op.Result(0), part(f.emitter, g, op.Operand(0), op.Operand(1), op.Result(0)))
				}
			}
		},
		vjp: func(b *backward, op mlir.Operation) {
			for i, part := range parts {
				b.to(op, i, func(g mlir.Value) mlir.Value {
					return part(b.emitter, g, op.Operand(0), op.Operand(1), op.Result(0))
				})
			}
		},
	}
}

// elementwise has the operations of each element that are not linear. The derivatives are those of JAX,
// also where they are a convention: that of abs is 1 at 0, maximum and minimum of equal operands share
// it, and the one of a rounding is 0.
var elementwise = map[string]rule{
	"stablehlo.exponential": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value { return e.mul(g, y) }),
	"stablehlo.exponential_minus_one": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value {
		return e.mul(g, e.add(y, e.like(y, 1)))
	}),
	"stablehlo.log": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value { return e.div(g, x) }),
	"stablehlo.log_plus_one": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.div(g, e.add(x, e.like(x, 1)))
	}),
	"stablehlo.logistic": ofOne(ofLogistic),
	"stablehlo.tanh": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value {
		return e.mul(e.add(g, e.mul(g, y)), e.sub(e.like(y, 1), y))
	}),
	"stablehlo.sine": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Unary(stablehlo.Cosine, x))
	}),
	"stablehlo.cosine": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.neg(e.mul(g, e.Unary(stablehlo.Sine, x)))
	}),
	"stablehlo.tan": ofOne(tan),
	"stablehlo.sqrt": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value {
		return e.mul(g, e.div(e.like(y, 0.5), y))
	}),
	"stablehlo.rsqrt": ofOne(func(e *emitter, g, x, y mlir.Value) mlir.Value {
		return e.mul(g, e.scale(e.div(y, x), -0.5))
	}),
	"stablehlo.cbrt": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value {
		return e.mul(g, e.div(e.like(y, 1./3), e.square(y)))
	}),
	"stablehlo.abs": {jvp: ofOne(abs).jvp}, // of complex numbers it is not its own transpose

	"stablehlo.power": ofTwo(
		func(e *emitter, g, x, y, _ mlir.Value) mlir.Value {
			return e.mul(g, e.mul(y, e.Binary(stablehlo.Power, x, e.sub(y, e.like(y, 1)))))
		},
		func(e *emitter, g, x, _, z mlir.Value) mlir.Value {
			return e.mul(g, e.mul(e.Unary(stablehlo.Log, e.nonzero(x)), z))
		}),
	"stablehlo.atan2": ofTwo(
		func(e *emitter, g, x, y, _ mlir.Value) mlir.Value {
			return e.mul(g, e.div(y, e.add(e.square(x), e.square(y))))
		},
		func(e *emitter, g, x, y, _ mlir.Value) mlir.Value {
			return e.mul(g, e.div(e.neg(x), e.add(e.square(x), e.square(y))))
		}),
	"stablehlo.remainder": ofTwo(
		func(_ *emitter, g, _, _, _ mlir.Value) mlir.Value { return g },
		func(e *emitter, g, x, y, _ mlir.Value) mlir.Value {
			q := e.div(x, y)
			whole := e.mul(e.Unary(stablehlo.Sign, q), e.Unary(stablehlo.Floor, e.Unary(stablehlo.Abs, q)))
			return e.mul(g, e.neg(whole))
		}),
	"stablehlo.maximum": ofTwo(chosen,
		func(e *emitter, g, x, y, z mlir.Value) mlir.Value { return chosen(e, g, y, x, z) }),
	"stablehlo.minimum": ofTwo(chosen,
		func(e *emitter, g, x, y, z mlir.Value) mlir.Value { return chosen(e, g, y, x, z) }),
	"stablehlo.clamp": {jvp: clamp},

	"stablehlo.ceil": none, "stablehlo.floor": none, "stablehlo.sign": none,
	"stablehlo.round_nearest_afz": none, "stablehlo.round_nearest_even": none,
	"stablehlo.bitcast_convert": bitcast, "stablehlo.rng": none, "stablehlo.rng_bit_generator": none,
}

func ofLogistic(e *emitter, g, _, y mlir.Value) mlir.Value {
	return e.mul(g, e.mul(y, e.sub(e.like(y, 1), y)))
}

func tan(e *emitter, g, _, y mlir.Value) mlir.Value {
	return e.mul(g, e.add(e.square(y), e.like(y, 1)))
}

func abs(e *emitter, g, x, y mlir.Value) mlir.Value {
	if !transform.IsComplex(x.Type()) {
		return e.Select(e.Compare(stablehlo.CompareGE, x, e.like(x, 0)), g, e.neg(g))
	}
	return e.real(e.mul(g, e.div(e.conj(x), e.nonzero(e.convert(y, x.Type())))))
}

// chosen returns the tangent of z, the maximum or minimum of x and y, that belongs to the tangent of x. Those of relu
// and relu6 at their bounds are 0.
func chosen(e *emitter, g, x, y, z mlir.Value) mlir.Value {
	_, isReLU := z.Owner().Attribute(transform.ReLU)
	if _, isBound := splat(y); isReLU && isBound {
		within := map[string]stablehlo.ComparisonDirection{
			"stablehlo.maximum": stablehlo.CompareGT, "stablehlo.minimum": stablehlo.CompareLT,
		}[z.Owner().Name()]
		return e.Select(e.Compare(within, x, y), g, e.like(g, 0))
	}
	one := e.like(x, 1)
	mine := e.Select(e.Compare(stablehlo.CompareEQ, x, z), one, e.like(x, 0))
	both := e.Select(e.Compare(stablehlo.CompareEQ, y, z), e.like(x, 2), one)
	return e.mul(g, e.div(mine, both))
}

// clamp passes on the tangent of the bound or the operand that is the result. At a bound it is zero.
func clamp(f *forward, op mlir.Operation) {
	x := op.Operand(1)
	bound := func(i int) mlir.Value { return f.Broadcast(op.Operand(i), nil, transform.Dims(x)...) }
	pass := func(i int, where func() mlir.Value) {
		if g := f.operand(op, i); !g.IsNil() {
			f.accumulate(op.Result(0), f.Select(where(), f.Broadcast(g, nil, transform.Dims(x)...), f.like(x, 0)))
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
