package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// linear has the operations of each element that are linear, and those that are linear in each operand.
var linear = map[string]rule{
	"stablehlo.add": {
		multilinear: true,
		jvp: func(f *forward, op mlir.Operation) {
			f.set(op.Result(0), f.add(f.operand(op, 0), f.operand(op, 1)))
		},
		transpose: func(b *backward, op mlir.Operation) {
			b.add(op.Operand(0), b.cotangent(op))
			b.add(op.Operand(1), b.cotangent(op))
		},
	},
	"stablehlo.subtract": {
		multilinear: true,
		jvp: func(f *forward, op mlir.Operation) {
			x, y := f.operand(op, 0), f.operand(op, 1)
			switch {
			case y.IsNil():
				f.set(op.Result(0), x)
			case x.IsNil():
				f.set(op.Result(0), f.neg(y))
			default:
				f.set(op.Result(0), f.sub(x, y))
			}
		},
		transpose: func(b *backward, op mlir.Operation) {
			b.add(op.Operand(0), b.cotangent(op))
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.neg(g) })
		},
	},
	"stablehlo.negate": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value { return b.neg(g) }),
	"stablehlo.multiply": {
		jvp: bilinear, multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return b.mul(g, op.Operand(1)) })
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.mul(op.Operand(0), g) })
		},
	},
	"stablehlo.divide": {
		jvp: jvpDivide, vjp: vjpDivide,
		transpose: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return b.div(g, op.Operand(1)) })
		},
	},
	"stablehlo.convert": {
		multilinear: true,
		jvp: func(f *forward, op mlir.Operation) {
			f.set(op.Result(0), f.Clone(op, f.operand(op, 0)).Result(0))
		},
		transpose: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value {
				if to := op.Operand(0).Type(); transform.IsComplex(g.Type()) && !transform.IsComplex(to) {
					return b.convert(b.real(g), to)
				}
				return b.convert(g, op.Operand(0).Type())
			})
		},
	},
	"stablehlo.reduce_precision": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
		return b.Clone(op, g).Result(0)
	}),
	"stablehlo.real": same(func(b *backward, _ mlir.Operation, g mlir.Value) mlir.Value {
		return b.complex(g, b.Zero(g.Type()))
	}),
	"stablehlo.imag": same(func(b *backward, _ mlir.Operation, g mlir.Value) mlir.Value {
		return b.complex(b.Zero(g.Type()), b.neg(g))
	}),
	"stablehlo.complex": {
		jvp: jointly(0, 1), multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return b.real(g) })
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.imag(b.neg(g)) })
		},
	},
	"stablehlo.select": {
		jvp: jointly(1, 2), multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			pred := op.Operand(0)
			b.to(op, 1, func(g mlir.Value) mlir.Value { return b.Select(pred, g, b.Zero(g.Type())) })
			b.to(op, 2, func(g mlir.Value) mlir.Value { return b.Select(pred, b.Zero(g.Type()), g) })
		},
	},
	"stablehlo.optimization_barrier": {jvp: jvpBarrier, multilinear: true, transpose: transposeBarrier},
}

// quotient is the rule of a division that is not the logistic function. The square of y, which JAX divides by,
// overflows, and XLA makes one of z/y.
var quotient = ofTwo(
	func(e *emitter, g, _, y, _ mlir.Value) mlir.Value { return e.div(g, y) },
	func(e *emitter, g, _, y, z mlir.Value) mlir.Value { return e.mul(e.neg(z), e.div(g, y)) })

// jvpDivide knows the logistic function 1/(1 + exp(-x)), as JAX writes it: its derivative does not overflow.
func jvpDivide(f *forward, op mlir.Operation) {
	if x, ok := logistic(op); ok {
		f.set(op.Result(0), ofLogistic(f.emitter, f.tangent(x), x, op.Result(0)))
	} else {
		quotient.jvp(f, op)
	}
}

func vjpDivide(b *backward, op mlir.Operation) {
	if x, ok := logistic(op); ok {
		b.add(x, ofLogistic(b.emitter, b.cotangent(op), x, op.Result(0)))
	} else {
		quotient.vjp(b, op)
	}
}

// logistic returns x of an operation that computes 1/(1 + exp(-x)).
func logistic(op mlir.Operation) (x mlir.Value, ok bool) {
	sum := op.Operand(1)
	if !isOne(op.Operand(0)) || !isMadeBy(sum, "stablehlo.add") {
		return x, false
	}
	power := sum.Owner().Operand(1)
	if !isOne(sum.Owner().Operand(0)) || !isMadeBy(power, "stablehlo.exponential") {
		return x, false
	}
	negative := power.Owner().Operand(0)
	if !isMadeBy(negative, "stablehlo.negate") {
		return x, false
	}
	return negative.Owner().Operand(0), true
}

func isOne(v mlir.Value) bool {
	x, ok := splat(v)
	return ok && x == 1
}

// splat returns the number that all elements of a constant are.
func splat(v mlir.Value) (x float64, ok bool) {
	for isMadeBy(v, "stablehlo.broadcast_in_dim") ||
		isMadeBy(v, "stablehlo.convert") && transform.IsFloat(v.Owner().Operand(0).Type()) {
		v = v.Owner().Operand(0)
	}
	if !isMadeBy(v, "stablehlo.constant") {
		return 0, false
	}
	a, _ := v.Owner().Attribute("value")
	if !a.IsSplat() {
		return 0, false
	}
	e, ok := a.ElementAt(make([]int64, transform.Rank(v))...)
	x, isFloat := e.Float()
	return x, ok && isFloat
}

// to adds to the cotangent of an operand, if it is linear, what f makes of the cotangent of the result.
func (b *backward) to(op mlir.Operation, i int, f func(g mlir.Value) mlir.Value) {
	if b.linear[op.Operand(i)] {
		b.add(op.Operand(i), f(b.cotangent(op)))
	}
}

// same is the rule of an operation that is linear in its first operand: the tangent passes through the
// same operation, and transpose makes the cotangent of the operand from that of the result.
func same(transpose func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value) rule {
	return rule{
		jvp: jointly(0), multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			b.to(op, 0, func(g mlir.Value) mlir.Value { return transpose(b, op, g) })
		},
	}
}

// jointly is the jvp of an operation that is linear in several operands together: the tangents, or
// zeros, pass through the same operation. No operands means all.
func jointly(in ...int) func(*forward, mlir.Operation) {
	return func(f *forward, op mlir.Operation) {
		operands := op.OperandValues()
		if in == nil {
			for i, v := range operands {
				operands[i] = f.full(v)
			}
		}
		reached := in == nil
		for _, i := range in {
			reached = reached || !f.operand(op, i).IsNil()
			operands[i] = f.full(operands[i])
		}
		if !reached {
			return
		}
		f.set(op.Result(0), f.Clone(op, operands...).Result(0))
	}
}

// bilinear is the jvp of an operation that is linear in each of two operands.
func bilinear(f *forward, op mlir.Operation) {
	for i := range 2 {
		if g := f.operand(op, i); !g.IsNil() {
			operands := op.OperandValues()
			operands[i] = g
			f.accumulate(op.Result(0), f.Clone(op, operands...).Result(0))
		}
	}
}

// jvpBarrier puts a barrier around the tangents too.
func jvpBarrier(f *forward, op mlir.Operation) {
	var tangents, of []mlir.Value
	for i, v := range op.Operands() {
		if g := f.tangent(v); !g.IsNil() {
			tangents, of = append(tangents, g), append(of, op.Result(i))
		}
	}
	barrier := f.Op(stablehlo.OptimizationBarrierOp{Operand: tangents})
	for i, v := range of {
		f.set(v, barrier.Result(i))
	}
}

func transposeBarrier(b *backward, op mlir.Operation) {
	var cotangents, of []mlir.Value
	for i, v := range op.Results() {
		if g := b.cotangents[v]; !g.IsNil() {
			cotangents, of = append(cotangents, g), append(of, op.Operand(i))
		}
	}
	barrier := b.Op(stablehlo.OptimizationBarrierOp{Operand: cotangents})
	for i, v := range of {
		b.add(v, barrier.Result(i))
	}
}
