package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// Complex returns the complex numbers with the given real and imaginary parts, element by
// element: c64 for f32, c128 for f64.
func Complex[R, I Operand](re R, im I) Value {
	s, a, b := begin2("complex", re, im)
	return s.one(stablehlo.ComplexOp{LHS: a.v, RHS: b.v})
}

// Real returns the real part of x, element by element: f32 for c64, f64 for c128.
func Real(x Value) Value {
	s := begin("real", x)
	return s.one(stablehlo.RealOp{Operand: x.v})
}

// Imag returns the imaginary part of x, element by element: f32 for c64, f64 for c128.
func Imag(x Value) Value {
	s := begin("imag", x)
	return s.one(stablehlo.ImagOp{Operand: x.v})
}
