package lower_test

import (
	"fmt"
	"testing"
)

// TestFFT has lengths that are powers of two, products of small and large primes, and primes.
func TestFFT(t *testing.T) {
	var list []program
	add := func(kind, input, output, lengths string) {
		list = append(list, program{name: kind + lengths, text: function("%x: "+input, output, fmt.Sprintf(`
			%%r = stablehlo.fft %%x, type = %s, length = [%s] : (%s) -> %s
			return %%r : %[4]s`, kind, lengths, input, output))})
	}
	for i, n := range []int{1, 2, 3, 8, 12, 49, 127, 1000, 4096} {
		numbers := fmt.Sprintf("tensor<2x%dxcomplex<f64>>", n)
		add([]string{"FFT", "IFFT"}[i%2], numbers, numbers, fmt.Sprint(n))
	}
	for _, n := range []int{5, 12} {
		reals, half := fmt.Sprintf("tensor<3x4x%dxf32>", n), fmt.Sprintf("tensor<3x4x%dxcomplex<f32>>", n/2+1)
		add("RFFT", reals, half, fmt.Sprint("4, ", n))
		add("IRFFT", half, reals, fmt.Sprint("4, ", n))
	}
	onXLA(t, 1e-5, list)
}
