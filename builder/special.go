package builder

import "github.com/calliope-mlir/calliope/stablehlo/chlo"

// These functions are operations of CHLO, the dialect beside StableHLO whose operations
// compilers take apart. A portable artifact of StableHLO has no place for them.

// Acos is the arc cosine of x, element by element.
func Acos(x Value) Value {
	s := begin("acos", x)
	return s.one(chlo.Acos{Operand: x.v})
}

// Acosh is the inverse hyperbolic cosine of x, element by element.
func Acosh(x Value) Value {
	s := begin("acosh", x)
	return s.one(chlo.Acosh{Operand: x.v})
}

// Asin is the arc sine of x, element by element.
func Asin(x Value) Value {
	s := begin("asin", x)
	return s.one(chlo.Asin{Operand: x.v})
}

// Asinh is the inverse hyperbolic sine of x, element by element.
func Asinh(x Value) Value {
	s := begin("asinh", x)
	return s.one(chlo.Asinh{Operand: x.v})
}

// Atan is the arc tangent of x, element by element.
func Atan(x Value) Value {
	s := begin("atan", x)
	return s.one(chlo.Atan{Operand: x.v})
}

// Atanh is the inverse hyperbolic tangent of x, element by element.
func Atanh(x Value) Value {
	s := begin("atanh", x)
	return s.one(chlo.Atanh{Operand: x.v})
}

// BesselI1e is the modified Bessel function of the first kind of order 1, divided by exp(|x|), element by element.
func BesselI1e(x Value) Value {
	s := begin("besseli1e", x)
	return s.one(chlo.BesselI1e{Operand: x.v})
}

// Conj is the conjugate of the complex x, element by element.
func Conj(x Value) Value {
	s := begin("conj", x)
	return s.one(chlo.Conj{Operand: x.v})
}

// Cosh is the hyperbolic cosine of x, element by element.
func Cosh(x Value) Value {
	s := begin("cosh", x)
	return s.one(chlo.Cosh{Operand: x.v})
}

// Digamma is the derivative of Lgamma at x, element by element.
func Digamma(x Value) Value {
	s := begin("digamma", x)
	return s.one(chlo.Digamma{Operand: x.v})
}

// Erf is the error function of x, element by element.
func Erf(x Value) Value {
	s := begin("erf", x)
	return s.one(chlo.Erf{Operand: x.v})
}

// ErfInv is the number whose error function is x, element by element.
func ErfInv(x Value) Value {
	s := begin("erfinv", x)
	return s.one(chlo.ErfInv{Operand: x.v})
}

// Erfc is 1 less the error function of x, element by element.
func Erfc(x Value) Value {
	s := begin("erfc", x)
	return s.one(chlo.Erfc{Operand: x.v})
}

// IsInf is true where x is infinite, element by element.
func IsInf(x Value) Value {
	s := begin("isinf", x)
	return s.one(chlo.IsInf{Operand: x.v})
}

// IsPosInf is true where x is +infinity, element by element.
func IsPosInf(x Value) Value {
	s := begin("isposinf", x)
	return s.one(chlo.IsPosInf{Operand: x.v})
}

// IsNegInf is true where x is -infinity, element by element.
func IsNegInf(x Value) Value {
	s := begin("isneginf", x)
	return s.one(chlo.IsNegInf{Operand: x.v})
}

// Lgamma is the logarithm of the absolute value of the gamma function of x, element by element.
func Lgamma(x Value) Value {
	s := begin("lgamma", x)
	return s.one(chlo.Lgamma{Operand: x.v})
}

// Sinh is the hyperbolic sine of x, element by element.
func Sinh(x Value) Value {
	s := begin("sinh", x)
	return s.one(chlo.Sinh{Operand: x.v})
}

// NextAfter is the number next to x in the direction of y, element by element.
func NextAfter[X, Y Operand](x X, y Y) Value {
	s, a, b := begin2("next_after", x, y)
	return s.one(chlo.NextAfter{X: a.v, Y: b.v})
}

// Polygamma is the n-th derivative of Digamma at x, element by element; n is given as
// floating point numbers.
func Polygamma[N, X Operand](n N, x X) Value {
	s, a, b := begin2("polygamma", n, x)
	return s.one(chlo.Polygamma{N: a.v, X: b.v})
}

// Zeta is the Hurwitz zeta function: the sum over k from 0 of (k+q) to the power of -x,
// element by element.
func Zeta[X, Q Operand](x X, q Q) Value {
	s, a, b := begin2("zeta", x, q)
	return s.one(chlo.Zeta{X: a.v, Q: b.v})
}
