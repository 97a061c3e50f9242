package autodiff

import (
	"math"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// special has the operations of CHLO that are not linear.
var special = map[string]rule{
	"chlo.tan": ofOne(tan),
	"chlo.asin": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Unary(stablehlo.Rsqrt, f.sub(f.like(x, 1), f.square(x))))
	}),
	"chlo.acos": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.neg(f.Unary(stablehlo.Rsqrt, f.sub(f.like(x, 1), f.square(x)))))
	}),
	"chlo.atan": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.div(g, f.add(f.square(x), f.like(x, 1))) }),
	"chlo.sinh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.mul(g, f.Do(chlo.CoshOp{Operand: x})) }),
	"chlo.cosh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.mul(g, f.Do(chlo.SinhOp{Operand: x})) }),
	"chlo.asinh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Unary(stablehlo.Rsqrt, f.add(f.square(x), f.like(x, 1))))
	}),
	"chlo.acosh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Unary(stablehlo.Rsqrt, f.sub(f.square(x), f.like(x, 1))))
	}),
	"chlo.atanh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		one := f.like(x, 1)
		return f.mul(f.div(one, f.add(one, x)), f.div(g, f.sub(one, x)))
	}),
	"chlo.square": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.mul(g, f.scale(x, 2)) }),
	"chlo.erf":    ofOne(gaussian(2 / math.Sqrt(math.Pi))),
	"chlo.erfc":   ofOne(gaussian(-2 / math.Sqrt(math.Pi))),
	"chlo.erf_inv": ofOne(func(f *forward, g, _, y mlir.Value) mlir.Value {
		return f.scale(f.mul(g, f.Unary(stablehlo.Exponential, f.square(y))), math.Sqrt(math.Pi)/2)
	}),
	"chlo.lgamma": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value { return f.mul(g, f.Do(chlo.DigammaOp{Operand: x})) }),
	"chlo.digamma": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Do(chlo.PolygammaOp{N: f.like(x, 1), X: x}))
	}),
	"chlo.polygamma": ofTwo(
		nil,
		func(f *forward, g, n, x, _ mlir.Value) mlir.Value {
			return f.mul(g, f.Do(chlo.PolygammaOp{N: f.add(n, f.like(n, 1)), X: x}))
		}),
	"chlo.conj":       {jvp: func(f *forward, op mlir.Operation) { f.set(op.Result(0), f.conj(f.operand(op, 0))) }},
	"chlo.top_k":      {jvp: topK},
	"chlo.next_after": none, "chlo.constant_like": none,
}

// gaussian is the derivative scale·exp(-x²).
func gaussian(scale float64) func(f *forward, g, x, y mlir.Value) mlir.Value {
	return func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.scale(f.mul(g, f.Unary(stablehlo.Exponential, f.neg(f.square(x)))), scale)
	}
}
