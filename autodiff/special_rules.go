package autodiff

import (
	"math"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// special has the operations of CHLO that are not linear.
var special = map[string]rule{
	"chlo.tan": ofOne(tan),
	"chlo.asin": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Unary(stablehlo.Rsqrt, e.sub(e.like(x, 1), e.square(x))))
	}),
	"chlo.acos": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.neg(e.Unary(stablehlo.Rsqrt, e.sub(e.like(x, 1), e.square(x)))))
	}),
	"chlo.atan": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.div(g, e.add(e.square(x), e.like(x, 1)))
	}),
	"chlo.sinh": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Do(chlo.CoshOp{Operand: x}))
	}),
	"chlo.cosh": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Do(chlo.SinhOp{Operand: x}))
	}),
	"chlo.asinh": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Unary(stablehlo.Rsqrt, e.add(e.square(x), e.like(x, 1))))
	}),
	"chlo.acosh": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Unary(stablehlo.Rsqrt, e.sub(e.square(x), e.like(x, 1))))
	}),
	"chlo.atanh": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		one := e.like(x, 1)
		return e.mul(e.div(one, e.add(one, x)), e.div(g, e.sub(one, x)))
	}),
	"chlo.square": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value { return e.mul(g, e.scale(x, 2)) }),
	"chlo.erf":    ofOne(gaussian(2 / math.Sqrt(math.Pi))),
	"chlo.erfc":   ofOne(gaussian(-2 / math.Sqrt(math.Pi))),
	"chlo.erf_inv": ofOne(func(e *emitter, g, _, y mlir.Value) mlir.Value {
		return e.scale(e.mul(g, e.Unary(stablehlo.Exponential, e.square(y))), math.Sqrt(math.Pi)/2)
	}),
	"chlo.lgamma": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Do(chlo.DigammaOp{Operand: x}))
	}),
	"chlo.digamma": ofOne(func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.mul(g, e.Do(chlo.PolygammaOp{N: e.like(x, 1), X: x}))
	}),
	"chlo.polygamma": ofTwo(
		nil,
		func(e *emitter, g, n, x, _ mlir.Value) mlir.Value {
			return e.mul(g, e.Do(chlo.PolygammaOp{N: e.add(n, e.like(n, 1)), X: x}))
		}),
	"chlo.zeta": ofTwo(
		nil,
		func(e *emitter, g, x, q, _ mlir.Value) mlir.Value {
			return e.mul(g, e.mul(e.neg(x), e.Do(chlo.ZetaOp{X: e.add(x, e.like(x, 1)), Q: q})))
		}),
	"chlo.bessel_i1e": ofOne(besselI1E),
	"chlo.conj":       {jvp: func(f *forward, op mlir.Operation) { f.set(op.Result(0), f.conj(f.operand(op, 0))) }},
	"chlo.top_k":      {jvp: topK},
	// The number beside x moves with it, as in JAX since 0.12.
	"chlo.next_after": {jvp: func(f *forward, op mlir.Operation) {
		if g := f.operand(op, 0); !g.IsNil() {
			f.set(op.Result(0), g)
		}
	}},
	"chlo.constant_like": none,
}

// gaussian is the derivative scale·exp(-x²).
func gaussian(scale float64) func(e *emitter, g, x, y mlir.Value) mlir.Value {
	return func(e *emitter, g, x, _ mlir.Value) mlir.Value {
		return e.scale(e.mul(g, e.Unary(stablehlo.Exponential, e.neg(e.square(x)))), scale)
	}
}

// besselI1E is the derivative of exp(-|x|)·I₁(x), which is exp(-|x|)·I₀(x) - y·(sign(x) + 1/x). It is 1/2 at 0.
func besselI1E(e *emitter, g, x, y mlir.Value) mlir.Value {
	eps := e.like(x, map[bool]float64{true: 0x1p-52,
		false: 0x1p-23}[transform.Element(x.Type()) == e.Context.F64Type()])
	large := e.Compare(stablehlo.CompareGT, e.Unary(stablehlo.Abs, x), eps)
	x = e.Select(large, x, eps)
	slope := e.sub(e.besselI0E(x), e.mul(y, e.add(e.Unary(stablehlo.Sign, x), e.div(e.like(x, 1), x))))
	return e.mul(g, e.Select(large, slope, e.like(x, 0.5)))
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
