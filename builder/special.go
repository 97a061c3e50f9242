package builder

import "github.com/calliope-mlir/calliope/stablehlo/chlo"

// The functions in this file are operations of CHLO, the dialect beside StableHLO whose
// operations compilers decompose. A portable artifact of StableHLO cannot contain them.

// Acos returns the arc cosine of x, element by element.
func Acos(x Value) Value {
	s := begin("acos", x)
	return s.one(chlo.AcosOp{Operand: x.v})
}

// Acosh returns the inverse hyperbolic cosine of x, element by element.
func Acosh(x Value) Value {
	s := begin("acosh", x)
	return s.one(chlo.AcoshOp{Operand: x.v})
}

// Asin returns the arc sine of x, element by element.
func Asin(x Value) Value {
	s := begin("asin", x)
	return s.one(chlo.AsinOp{Operand: x.v})
}

// Asinh returns the inverse hyperbolic sine of x, element by element.
func Asinh(x Value) Value {
	s := begin("asinh", x)
	return s.one(chlo.AsinhOp{Operand: x.v})
}

// Atan returns the arc tangent of x, element by element.
func Atan(x Value) Value {
	s := begin("atan", x)
	return s.one(chlo.AtanOp{Operand: x.v})
}

// Atanh returns the inverse hyperbolic tangent of x, element by element.
func Atanh(x Value) Value {
	s := begin("atanh", x)
	return s.one(chlo.AtanhOp{Operand: x.v})
}

// BesselI1e returns the modified Bessel function of the first kind of order 1, divided by
// exp(|x|), element by element.
func BesselI1e(x Value) Value {
	s := begin("besseli1e", x)
	return s.one(chlo.BesselI1eOp{Operand: x.v})
}

// Conj returns the conjugate of the complex x, element by element.
func Conj(x Value) Value {
	s := begin("conj", x)
	return s.one(chlo.ConjOp{Operand: x.v})
}

// Cosh returns the hyperbolic cosine of x, element by element.
func Cosh(x Value) Value {
	s := begin("cosh", x)
	return s.one(chlo.CoshOp{Operand: x.v})
}

// Digamma returns the derivative of Lgamma at x, element by element.
func Digamma(x Value) Value {
	s := begin("digamma", x)
	return s.one(chlo.DigammaOp{Operand: x.v})
}

// Erf returns the error function of x, element by element.
func Erf(x Value) Value {
	s := begin("erf", x)
	return s.one(chlo.ErfOp{Operand: x.v})
}

// ErfInv returns the number whose error function is x, element by element.
func ErfInv(x Value) Value {
	s := begin("erfinv", x)
	return s.one(chlo.ErfInvOp{Operand: x.v})
}

// Erfc returns 1 minus the error function of x, element by element.
func Erfc(x Value) Value {
	s := begin("erfc", x)
	return s.one(chlo.ErfcOp{Operand: x.v})
}

// IsInf reports, element by element, whether x is infinite.
func IsInf(x Value) Value {
	s := begin("isinf", x)
	return s.one(chlo.IsInfOp{Operand: x.v})
}

// IsPosInf reports, element by element, whether x is +infinity.
func IsPosInf(x Value) Value {
	s := begin("isposinf", x)
	return s.one(chlo.IsPosInfOp{Operand: x.v})
}

// IsNegInf reports, element by element, whether x is -infinity.
func IsNegInf(x Value) Value {
	s := begin("isneginf", x)
	return s.one(chlo.IsNegInfOp{Operand: x.v})
}

// Lgamma returns the logarithm of the absolute value of the gamma function of x, element by
// element.
func Lgamma(x Value) Value {
	s := begin("lgamma", x)
	return s.one(chlo.LgammaOp{Operand: x.v})
}

// Sinh returns the hyperbolic sine of x, element by element.
func Sinh(x Value) Value {
	s := begin("sinh", x)
	return s.one(chlo.SinhOp{Operand: x.v})
}

// NextAfter returns the next representable number after x in the direction of y, element by
// element.
func NextAfter[X, Y Operand](x X, y Y) Value {
	s, a, b := begin2("next_after", x, y)
	return s.one(chlo.NextAfterOp{X: a.v, Y: b.v})
}

// Polygamma returns the n-th derivative of Digamma at x, element by element. n is given as
// floating point numbers.
func Polygamma[N, X Operand](n N, x X) Value {
	s, a, b := begin2("polygamma", n, x)
	return s.one(chlo.PolygammaOp{N: a.v, X: b.v})
}

// Zeta returns the Hurwitz zeta function, element by element: the sum over k from 0 of
// (k+q) to the power of -x.
func Zeta[X, Q Operand](x X, q Q) Value {
	s, a, b := begin2("zeta", x, q)
	return s.one(chlo.ZetaOp{X: a.v, Q: b.v})
}
