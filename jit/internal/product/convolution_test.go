package product_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestConvolution holds convolutions that become products to those of the same numbers without a sign, which do not.
func TestConvolution(t *testing.T) {
	tests := []struct{ name, dims, window, x, w, y string }{
		{"plain", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", "2x6x5x4", "3x2x4x3", "2x4x4x3"},
		{"window", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
			"stride = [2, 1], pad = [[1, 2], [-1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]",
			"2x6x5x4", "3x2x4x3", "2x3x8x3"},
		{"layouts", "[b, f, 0]x[o, 0, i]->[0, f, b]", "", "2x4x9", "3x2x4", "8x3x2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			convolve := func(elem string) []tensor.View {
				m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main() -> tensor<%[6]sxi32> {
  %%x0 = stablehlo.iota dim = 0 : tensor<%[4]sxi32>
  %%x1 = stablehlo.iota dim = 1 : tensor<%[4]sxi32>
  %%x2 = stablehlo.iota dim = 2 : tensor<%[4]sxi32>
  %%x3 = stablehlo.multiply %%x0, %%x2 : tensor<%[4]sxi32>
  %%xi = stablehlo.add %%x1, %%x3 : tensor<%[4]sxi32>
  %%w0 = stablehlo.iota dim = 0 : tensor<%[5]sxi32>
  %%w1 = stablehlo.iota dim = 1 : tensor<%[5]sxi32>
  %%w2 = stablehlo.iota dim = 2 : tensor<%[5]sxi32>
  %%w3 = stablehlo.multiply %%w1, %%w2 : tensor<%[5]sxi32>
  %%wi = stablehlo.subtract %%w0, %%w3 : tensor<%[5]sxi32>
  %%x = stablehlo.convert %%xi : (tensor<%[4]sxi32>) -> tensor<%[4]sx%[1]s>
  %%w = stablehlo.convert %%wi : (tensor<%[5]sxi32>) -> tensor<%[5]sx%[1]s>
  %%y = stablehlo.convolution(%%x, %%w) dim_numbers = %[2]s, window = {%[3]s}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<%[4]sx%[1]s>, tensor<%[5]sx%[1]s>) -> tensor<%[6]sx%[1]s>
  %%r = stablehlo.convert %%y : (tensor<%[6]sx%[1]s>) -> tensor<%[6]sxi32>
  return %%r : tensor<%[6]sxi32>
}`, elem, tt.dims, tt.window, tt.x, tt.w, tt.y))
				e, err := jit.Compile(t.Context(), m, jit.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				got, err := e.Call(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			want := convolve("ui32")
			for _, elem := range []string{"f32", "i32"} {
				if diff := cmp.Diff(want, convolve(elem)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", elem, diff)
				}
			}
		})
	}
}
