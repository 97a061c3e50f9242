package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// FFT returns the discrete Fourier transform of complex numbers along the last len(dims)
// axes. dims are the dimensions of these axes; there are at most three.
func FFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftForward, dims) }

// IFFT is the inverse of FFT.
func IFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftInverse, dims) }

// RFFT is FFT of real numbers. Along the last axis, with dims[n-1] numbers, the result
// holds only the first half, dims[n-1]/2+1 complex numbers. The other half mirrors it.
func RFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftReal, dims) }

// IRFFT is the inverse of RFFT. dims are the result's dimensions.
func IRFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftRealInverse, dims) }

func fft(x Value, t stablehlo.FftType, dims []int) Value {
	s := begin("fft", x)
	return s.one(stablehlo.FftOp{Operand: x.v, FftType: t, FftLength: int64s(dims)})
}
