package autodiff

import (
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/chlo"
)

// asGamma knows the last operation of JAX's random.gamma and random.loggamma. The loops that draw a sample reject some
// numbers, so that the derivative of their operations is not that of the sample: it is known from the distribution.
func asGamma(op mlir.Operation) (r rule, ok bool) {
	if !hasName(op, transform.Gamma) {
		return r, false
	}
	alpha, x := transform.GammaShape(op), op.Result(0)
	return sumOf([]mlir.Value{alpha}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		if op.Name() == "stablehlo.add" {
			return e.mul(g, e.ofGamma(alpha, x))
		}
		isZero := e.Compare(stablehlo.CompareEQ, x, e.Zero(x.Type()))
		slope := e.mul(x, e.ofGamma(alpha, e.Unary(stablehlo.Log, e.Select(isZero, e.like(x, 1), x))))
		return e.mul(g, e.Select(isZero, e.Zero(x.Type()), slope))
	}), true
}

// asLogGamma knows the last operation of JAX's lgamma, which is computed with the bits of its argument.
func asLogGamma(op mlir.Operation) (r rule, ok bool) {
	if !hasName(op, transform.LogGamma) {
		return r, false
	}
	x := op.Operand(1)
	return sumOf([]mlir.Value{x}, func(e *emitter, g mlir.Value, _ int) mlir.Value {
		return e.mul(g, e.Do(chlo.DigammaOp{Operand: x}))
	}), true
}

// ofGamma returns the derivatives of logarithms of samples x of the gamma distribution by its shapes a, at which the
// probability of a smaller sample, P(a, x), stays as it is: -(∂P/∂a)/(x·∂P/∂x). P is xᵃe⁻ˣ/Γ(a+1) times the series
// 1 + x/(a+1)·(1 + x/(a+2)·(…)), and 1 - P is xᵃe⁻ˣ/Γ(a) over the continued fraction
// x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(…)), which converges fast where x is more than a and 1. See the Digital Library of
// Mathematical Functions, 8.7.1 and 8.9.2.
func (e *emitter) ofGamma(a, log mlir.Value) mlir.Value {
	of := a.Type()
	if t := transform.Element(of); t != e.Context.F64Type() {
		wide := transform.Must(e.Context.TensorType(e.Context.F32Type(), transform.Dims(a)...))
		a, log = e.convert(a, wide), e.convert(log, wide)
	}
	x, one, zero := e.Unary(stablehlo.Exponential, log), e.like(a, 1), e.Zero(a.Type())

	// The innermost of as many terms as give all digits comes first.
	finite := e.Do(stablehlo.IsFiniteOp{X: x})
	all := transform.UpTo(transform.Rank(x))
	most := e.greatest(e.Select(finite, x, one), all...)
	terms := e.add(e.scale(e.Unary(stablehlo.Sqrt, most), 10), e.like(most, 100))
	terms = e.Unary(stablehlo.Floor, e.Binary(stablehlo.Minimum, terms, e.like(terms, 10000)))
	limit := e.convert(terms, e.counter())
	// The denominator at n of the fraction.
	denominator := func(e *emitter, n mlir.Value) mlir.Value { return e.add(x, e.sub(e.add(n, n), e.sub(a, one))) }
	last := denominator(e, e.Broadcast(terms, nil, transform.Dims(a)...))
	loop := e.repeatTo(func(*emitter) mlir.Value { return limit }, []mlir.Value{terms, one, zero, last, e.neg(one)},
		func(e *emitter, v []mlir.Value) []mlir.Value {
			n := e.Broadcast(v[0], nil, transform.Dims(a)...)
			sum, dsum, fraction, dfraction := v[1], v[2], v[3], v[4]
			below := e.add(a, n)
			factor := e.div(x, below)
			dsum = e.mul(factor, e.sub(dsum, e.div(sum, below)))
			sum = e.add(one, e.mul(factor, sum))

			part := e.div(n, fraction)
			quotient := e.mul(part, e.sub(n, a))
			dfraction = e.add(e.sub(part, one), e.mul(quotient, e.div(dfraction, fraction)))
			fraction = e.sub(denominator(e, e.sub(n, one)), quotient)
			return []mlir.Value{e.sub(v[0], e.like(v[0], 1)), sum, dsum, fraction, dfraction}
		})
	sum, dsum, fraction, dfraction := loop.Result(2), loop.Result(3), loop.Result(4), loop.Result(5)
	digamma := func(x mlir.Value) mlir.Value { return e.Do(chlo.DigammaOp{Operand: x}) }
	bySum := e.neg(e.div(e.add(dsum, e.mul(sum, e.sub(log, digamma(e.add(a, one))))), a))
	byFraction := e.div(e.sub(e.sub(log, digamma(a)), e.div(dfraction, fraction)), fraction)
	large := e.Binary(stablehlo.And, e.Compare(stablehlo.CompareGT, x, one), e.Compare(stablehlo.CompareGT, x, a))
	return e.convert(e.Select(large, byFraction, bySum), of)
}
