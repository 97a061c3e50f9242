package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// Complex is the complex numbers of real and imaginary parts, element by element: c64
// of f32, c128 of f64.
func Complex[R, I Operand](re R, im I) Value {
	s, a, b := begin2("complex", re, im)
	return s.one(stablehlo.Complex{LHS: a.v, RHS: b.v})
}

// Real is the real part of x, element by element: f32 of c64, f64 of c128.
func Real(x Value) Value {
	s := begin("real", x)
	return s.one(stablehlo.Real{Operand: x.v})
}

// Imag is the imaginary part of x, element by element: f32 of c64, f64 of c128.
func Imag(x Value) Value {
	s := begin("imag", x)
	return s.one(stablehlo.Imag{Operand: x.v})
}
