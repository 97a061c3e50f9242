package builder

import "github.com/calliope-mlir/calliope/stablehlo"

// FFT is the discrete Fourier transform of complex numbers along the last len(dims) axes,
// whose dimensions dims are; at most three.
func FFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftForward, dims) }

// IFFT is the inverse of FFT.
func IFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftInverse, dims) }

// RFFT is FFT of real numbers. Of the last axis, of dims[n-1] numbers, only the first half
// of the result is there, dims[n-1]/2+1 complex numbers: the other mirrors it.
func RFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftReal, dims) }

// IRFFT is the inverse of RFFT: dims are the result's dimensions.
func IRFFT(x Value, dims ...int) Value { return fft(x, stablehlo.FftRealInverse, dims) }

func fft(x Value, t stablehlo.FftType, dims []int) Value {
	s := begin("fft", x)
	return s.one(stablehlo.Fft{Operand: x.v, FftType: t, FftLength: int64s(dims)})
}
