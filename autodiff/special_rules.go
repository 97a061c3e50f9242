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
	"chlo.atan": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.div(g, f.add(f.square(x), f.like(x, 1)))
	}),
	"chlo.sinh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Do(chlo.CoshOp{Operand: x}))
	}),
	"chlo.cosh": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Do(chlo.SinhOp{Operand: x}))
	}),
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
	"chlo.lgamma": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Do(chlo.DigammaOp{Operand: x}))
	}),
	"chlo.digamma": ofOne(func(f *forward, g, x, _ mlir.Value) mlir.Value {
		return f.mul(g, f.Do(chlo.PolygammaOp{N: f.like(x, 1), X: x}))
	}),
	"chlo.polygamma": ofTwo(
		nil,
		func(f *forward, g, n, x, _ mlir.Value) mlir.Value {
			return f.mul(g, f.Do(chlo.PolygammaOp{N: f.add(n, f.like(n, 1)), X: x}))
		}),
	"chlo.zeta": ofTwo(
		nil,
		func(f *forward, g, x, q, _ mlir.Value) mlir.Value {
			return f.mul(g, f.mul(f.neg(x), f.Do(chlo.ZetaOp{X: f.add(x, f.like(x, 1)), Q: q})))
		}),
	"chlo.bessel_i1e": ofOne(besselI1E),
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

// besselI1E is the derivative of exp(-|x|)·I₁(x), which is exp(-|x|)·I₀(x) - y·(sign(x) + 1/x). It is 1/2 at 0.
func besselI1E(f *forward, g, x, y mlir.Value) mlir.Value {
	eps := f.like(x, map[bool]float64{true: 0x1p-52, false: 0x1p-23}[element(x.Type()) == f.Context.F64Type()])
	large := f.Compare(stablehlo.CompareGT, f.Unary(stablehlo.Abs, x), eps)
	x = f.Select(large, x, eps)
	slope := f.sub(f.besselI0E(x), f.mul(y, f.add(f.Unary(stablehlo.Sign, x), f.div(f.like(x, 1), x))))
	return f.mul(g, f.Select(large, slope, f.like(x, 0.5)))
}

// besselI0E returns exp(-|x|)·I₀(x): by the continued fraction of I₀/I₁ up to |x| = 20, which its 32 steps give all
// digits of, and by 20 terms of the asymptotic series beyond.
func (e *emitter) besselI0E(x mlir.Value) mlir.Value {
	x = e.Unary(stablehlo.Abs, x)
	limit := e.like(x, 20)
	small, large := e.Binary(stablehlo.Minimum, x, limit), e.Binary(stablehlo.Maximum, x, limit)
	one := e.like(x, 1)
	inverse := e.div(one, small)
	fraction := e.scale(inverse, 2*33)
	for k := 32; k > 0; k-- {
		fraction = e.add(e.scale(inverse, float64(2*k)), e.div(one, fraction))
	}
	below := e.mul(e.Do(chlo.BesselI1eOp{Operand: small}), fraction)
	inverse = e.div(one, large)
	sum := one
	for k := 20; k > 0; k-- {
		sum = e.add(one, e.scale(e.mul(inverse, sum), float64((2*k-1)*(2*k-1))/float64(8*k)))
	}
	beyond := e.mul(sum, e.Unary(stablehlo.Rsqrt, e.scale(large, 2*math.Pi)))
	return e.Select(e.Compare(stablehlo.CompareLE, x, limit), below, beyond)
}
