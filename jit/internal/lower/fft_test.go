package lower_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
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

// TestFFTKinds holds each transform against XLA's: of each type, of lengths that take each way through the passes, of
// one to three dimensions, and of arrays without elements.
func TestFFTKinds(t *testing.T) {
	for bits, tolerance := range map[int]float64{32: 1e-5, 64: 1e-13} {
		var list []program
		for _, n := range []int{1, 2, 6, 9, 13, 16, 26, 100, 121, 169} {
			list = append(list, transforms(bits, "", nil, n))
		}
		list = append(list, transforms(bits, "", []int{2}, 3, 4), transforms(bits, "", []int{2}, 11, 2),
			transforms(bits, "", nil, 2, 3, 5), transforms(bits, "", []int{1, 1}, 1, 1, 1),
			transforms(bits, "", []int{0}, 4), transforms(bits, "", []int{3, 0, 2}, 2, 3))
		onXLA(t, tolerance, list)
	}
}

// TestFFTBits has the lengths of one pass: the results have XLA's bits. What is 0 without rounding has the sign, and as
// a complex number the direction, of what rounding leaves, and a gradient of its absolute value has the same.
func TestFFTBits(t *testing.T) {
	var list []program
	for _, n := range []int{2, 3, 4, 5, 7, 11} {
		list = append(list, transforms(32, "FFT IFFT", nil, n), transforms(64, "FFT IFFT", nil, n))
	}
	onXLA(t, 0, list)
}

// TestFFTNonFinite has imaginary parts that have no effect on a real result, and infinities that reach some elements of
// a result only.
func TestFFTNonFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, n := range []int{2, 3, 4, 12} {
		half := slices.Repeat([]complex128{complex(1, 2)}, n/2+1)
		half[0] = complex(1, inf)
		if n%2 == 0 {
			half[n/2] = complex(1, nan)
		}
		p := transforms(64, "IRFFT", nil, n)
		p.inputs = []tensor.View{check.Must(tensor.FromSlice(half, n/2+1))}
		onXLA(t, 1e-13, []program{p})
	}
	for _, n := range []int{1, 2} {
		p := transforms(64, "FFT IFFT RFFT", nil, n)
		reals, numbers := make([]float64, n), make([]complex128, n)
		reals[0], numbers[0] = inf, complex(inf, 0)
		x := check.Must(tensor.FromSlice(numbers, n))
		p.inputs = []tensor.View{x, x, check.Must(tensor.FromSlice(reals, n))}
		onXLA(t, 0, []program{p})
	}
}

// transforms returns a program with some kinds of transforms, or with all.
func transforms(bits int, kinds string, batch []int, lengths ...int) program {
	shape := func(elem string, last int) string {
		text := ""
		for _, d := range slices.Concat(batch, lengths[:len(lengths)-1], []int{last}) {
			text += fmt.Sprint(d, "x")
		}
		return "tensor<" + text + elem + ">"
	}
	n, elem := lengths[len(lengths)-1], fmt.Sprintf("complex<f%d>", bits)
	reals, whole, half := shape(fmt.Sprint("f", bits), n), shape(elem, n), shape(elem, n/2+1)
	types := map[string][2]string{"FFT": {whole, whole}, "IFFT": {whole, whole}, "RFFT": {reals, half},
		"IRFFT": {half, reals}}
	var inputs, outputs, results []string
	body := ""
	for i, kind := range strings.Fields(cmp.Or(kinds, "FFT IFFT RFFT IRFFT")) {
		input, output := types[kind][0], types[kind][1]
		inputs = append(inputs, fmt.Sprintf("%%x%d: %s", i, input))
		outputs, results = append(outputs, output), append(results, fmt.Sprint("%r", i))
		body += fmt.Sprintf("%%r%d = stablehlo.fft %%x%[1]d, type = %s, length = [%s] : (%s) -> %s\n", i, kind,
			strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths), " ", ", "), "[]"), input, output)
	}
	all := strings.Join(outputs, ", ")
	return program{name: whole, text: function(strings.Join(inputs, ", "), all,
		body+"return "+strings.Join(results, ", ")+" : "+all)}
}
