package lower_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// TestFloats converts numbers of each floating-point type to each other one: some of 16 bits, and of more those that
// are near a number of a narrower type, or near the middle of two.
func TestFloats(t *testing.T) {
	var halves []uint16
	for i := 0; i < 1<<16; i += 13 {
		halves = append(halves, uint16(i), uint16(i)|0x3ff) // the last number below a power of two
	}
	var doubles []float64
	for _, bits := range []int{7, 10, 23} {
		for exponent := -160; exponent < 160; exponent += 3 {
			for _, fraction := range []float64{0, 1, 2, 3} {
				x := math.Ldexp(1+math.Ldexp(fraction, -bits-1), exponent)
				for _, x := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), x + x*0x1p-30} {
					doubles = append(doubles, x, -x)
				}
			}
		}
	}
	doubles = append(doubles, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.MaxFloat32, 65519.99999999999, 65520, 0x1p-25, 0x1.0000000000001p-25)
	singles := make([]float32, len(doubles))
	for i, x := range doubles {
		singles[i] = float32(x)
	}
	types := append([]tensor.DType{tensor.F64, tensor.F32, tensor.F16, tensor.BF16}, float8s...)
	for _, from := range types[:4] {
		input := tensor.Vector(doubles...)
		switch from {
		case tensor.F32:
			input = tensor.Vector(singles...)
		case tensor.F16, tensor.BF16:
			input = tensor.Vector(halves...)
			input.Shape.DType = from
		}
		var body strings.Builder
		var names, results []string
		n := input.Shape.Dims[0]
		of := typeOf(n, from.MLIR())
		for i, to := range types {
			result := typeOf(n, to.MLIR())
			fmt.Fprintf(&body, "%%%d = stablehlo.convert %%x : (%s) -> %s\n", i, of, result)
			names, results = append(names, "%"+strconv.Itoa(i)), append(results, result)
		}
		list := strings.Join(results, ", ")
		fmt.Fprintf(&body, "return %s : %s", strings.Join(names, ", "), list)
		interpreted(t, []program{{name: from.String(), text: function("%x: "+of, list, body.String()),
			inputs: []tensor.View{input}}})
	}
}
