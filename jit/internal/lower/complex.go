package lower

import (
	"math/cmplx"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
)

// A pair is a complex number.
type pair struct{ re, im mlir.Value }

// pairAt returns the element of two tensors at a place.
func (f *fft) pairAt(parts []mlir.Value, at mlir.Value) pair {
	list := f.extract(parts, []mlir.Value{at})
	return pair{list[0], list[1]}
}

func (f *fft) add(x, y pair) pair {
	return pair{arith.AddF(f.Builder, x.re, y.re), arith.AddF(f.Builder, x.im, y.im)}
}

func (f *fft) subtract(x, y pair) pair {
	return pair{arith.SubF(f.Builder, x.re, y.re), arith.SubF(f.Builder, x.im, y.im)}
}

func (f *fft) multiply(x, y pair) pair {
	b := f.Builder
	return pair{
		arith.SubF(b, arith.MulF(b, x.re, y.re), arith.MulF(b, x.im, y.im)),
		arith.AddF(b, arith.MulF(b, x.re, y.im), arith.MulF(b, x.im, y.re)),
	}
}

// scale returns x times a real number.
func (f *fft) scale(x pair, factor mlir.Value) pair {
	return pair{arith.MulF(f.Builder, x.re, factor), arith.MulF(f.Builder, x.im, factor)}
}

// timesI returns x times i.
func (f *fft) timesI(x pair) pair { return pair{arith.NegF(f.Builder, x.im), x.re} }

// quarterTurn returns x times the fourth root of one.
func (f *fft) quarterTurn(x pair) pair {
	if f.inverse {
		return f.timesI(x)
	}
	return pair{x.im, arith.NegF(f.Builder, x.re)}
}

func (f *fft) float(v float64) mlir.Value { return arith.ConstantFloat(f.Builder, f.part, v) }

// roots are the n-th roots of one, in the order and direction of a transform.
type roots struct {
	n       int64
	inverse bool
	table   []mlir.Value // of real and of imaginary parts
}

// root returns exp(-2πi·turns/n), or its conjugate for an inverse transform. It computes roots in the first eighth of
// the circle only, so that roots which mirror each other do so exactly, and none is a rounded 0 or 1.
func (w roots) root(turns, n int64) complex128 {
	quarters, rest := 4*turns/n, 4*turns%n
	sin, cos := sincos(min(rest, n-rest), n)
	switch {
	case 2*rest == n:
		sin = cos
	case 2*rest > n:
		sin, cos = cos, sin
	}
	z := complex(cos, sin)
	for range quarters {
		z = complex(-imag(z), real(z))
	}
	if w.inverse {
		return z
	}
	return cmplx.Conj(z)
}

// roots returns the n-th roots of one.
func (f *fft) roots(n int64) roots {
	w := roots{n: n, inverse: f.inverse}
	re, im := make([]float64, n), make([]float64, n)
	for i := range n {
		z := w.root(i, n)
		re[i], im[i] = real(z), imag(z)
	}
	w.table = []mlir.Value{f.table(re), f.table(im)}
	return w
}

// table returns a constant tensor.
func (f *fft) table(values []float64) mlir.Value {
	if f.Err() != nil {
		return mlir.Value{}
	}
	t := f.tensorOf(f.part, int64(len(values)))
	if kind, _ := f.part.FloatKind(); kind == mlir.F64 {
		value, err := mlir.NewDense(t, values)
		f.Fail(err)
		return arith.Constant(f.Builder, value)
	}
	value, err := mlir.NewDense(t, each(values, func(v float64) float32 { return float32(v) }))
	f.Fail(err)
	return arith.Constant(f.Builder, value)
}
