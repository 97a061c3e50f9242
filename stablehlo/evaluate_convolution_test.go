package stablehlo

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// convolve returns a module that convolves [a, b, c] with [k, k], after it converted them to
// a type, and returns the result as f64.
func convolve(operand, result string) string {
	return fmt.Sprintf(`func.func @main(%%a: tensor<1x3x1xf64>, %%k: tensor<2x1x1xf64>) -> tensor<1x2x1xf64> {
		%%x = stablehlo.convert %%a : (tensor<1x3x1xf64>) -> tensor<1x3x1x%[1]s>
		%%y = stablehlo.convert %%k : (tensor<2x1x1xf64>) -> tensor<2x1x1x%[1]s>
		%%z = stablehlo.convolution(%%x, %%y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]}
			{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1x%[1]s>, tensor<2x1x1x%[1]s>) -> tensor<1x2x1x%[2]s>
		%%r = stablehlo.convert %%z : (tensor<1x2x1x%[2]s>) -> tensor<1x2x1xf64>
		return %%r : tensor<1x2x1xf64> }`, operand, result)
}

// TestEvaluateConvolutions convolves into other element types. The results are NumPy's, with
// operands and accumulation in the wider type.
func TestEvaluateConvolutions(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Library().Has("stablehloEvalModule") {
			return
		}
		for _, test := range []struct {
			operand, result string
			a, b, c, k      float64
			want            []float64
		}{
			{"i8", "i8", 100, 100, -3, 100, []float64{32, -28}},
			{"i8", "i16", 100, 100, -3, 100, []float64{20000, 9700}},
			{"i8", "i32", 100, 100, -3, 100, []float64{20000, 9700}},
			{"i8", "i32", -128, -128, 127, 127, []float64{-32512, -127}},
			{"i8", "i64", 100, 100, -3, 100, []float64{20000, 9700}},
			{"ui8", "ui32", 100, 255, 3, 255, []float64{90525, 65790}},
			{"i16", "i32", 32767, 32767, -32768, 32767, []float64{2147352578, -32767}},
			{"i32", "i64", 1 << 30, 1 << 30, 1, 4, []float64{1 << 33, 1<<32 + 4}},
			{"i4", "i32", 7, 7, -8, 7, []float64{98, -7}},
			{"i32", "i8", 100, 100, -3, 100, []float64{32, -28}},
			{"f16", "f32", 100, 100.0625, -3, 100, []float64{20006.25, 9706.25}},
			{"bf16", "f32", 100, 100, -3, 100, []float64{20000, 9700}},
			{"f32", "f64", 1 << 25, 1, 0, 1, []float64{1<<25 + 1, 1}},
			{"f32", "f16", 100, 100, -3, 100, []float64{20000, 9696}},
			{"f64", "f32", 100, 100, -3, 100, []float64{20000, 9700}},
			{"f32", "f32", 100, 100, -3, 100, []float64{20000, 9700}},
			{"f8E4M3FN", "f32", 7, 7, -3, 7, []float64{98, 28}},
			{"f16", "bf16", 100, 100, -3, 100, []float64{19968, 9728}},
		} {
			m := mlirtest.Parse(t, c, convolve(test.operand, test.result))
			before := m.String()
			got, err := Evaluate(m, check.Must(tensor.FromSlice([]float64{test.a, test.b, test.c}, 1, 3, 1)),
				check.Must(tensor.FromSlice([]float64{test.k, test.k}, 2, 1, 1)))
			if err != nil {
				t.Errorf("%s into %s: %v", test.operand, test.result, err)
				continue
			}
			check.Diff(t, test.operand+" into "+test.result, test.want, check.Must(tensor.Slice[float64](got[0])))
			check.Diff(t, "the module", before, m.String())
		}
		for _, test := range []struct{ operand, result, want string }{
			{"i8", "f32", "does not support a result of f32 for operands of s8"},
			{"f32", "i32", "does not support a result of s32 for operands of f32"},
			{"i8", "ui32", "does not support a result of u32 for operands of s8"},
			{"i1", "i32", "does not support a result of s32 for operands of pred"},
		} {
			m, err := c.Parse("test.mlir", []byte(convolve(test.operand, test.result)))
			if err != nil {
				continue // the verifier refuses it
			}
			_, err = Evaluate(m, check.Must(tensor.FromSlice(make([]float64, 3), 1, 3, 1)),
				check.Must(tensor.FromSlice(make([]float64, 2), 2, 1, 1)))
			check.Error(t, check.As[*EvaluateError](t, err), "stablehlo.convolution", test.want)
		}
	})
}

// TestEvaluateConvolutionOrders convolves into each order of the result's dimensions: the interpreter ends the process
// for some. The result in one order is the transposed one in another.
func TestEvaluateConvolutionOrders(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Library().Has("stablehloEvalModule") {
			return
		}
		for _, test := range []struct{ order, shape, permutation string }{
			{"[b, 0, 1, f]", "2x2x3x2", "0, 1, 2, 3"}, {"[b, f, 0, 1]", "2x2x2x3", "0, 2, 3, 1"},
			{"[f, 0, 1, b]", "2x2x3x2", "3, 1, 2, 0"}, {"[0, 1, b, f]", "2x3x2x2", "2, 0, 1, 3"},
			{"[1, f, b, 0]", "3x2x2x2", "2, 3, 0, 1"},
		} {
			m := mlirtest.Parse(t, c, fmt.Sprintf(`func.func @main(%%x: tensor<2x3x3x1xf32>, %%y: tensor<2x1x1x2xf32>) -> tensor<2x2x3x2xf64> {
				%%z = stablehlo.convolution(%%x, %%y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->%[1]s, window = {stride = [1, 1]}
					{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x3x1xf32>, tensor<2x1x1x2xf32>) -> tensor<%[2]sxf64>
				%%t = stablehlo.transpose %%z, dims = [%[3]s] : (tensor<%[2]sxf64>) -> tensor<2x2x3x2xf64>
				return %%t : tensor<2x2x3x2xf64> }`, test.order, test.shape, test.permutation))
			x, want := make([]float32, 18), []float64(nil)
			for i := range x {
				x[i] = float32(i * i)
			}
			for i := range 12 { // by NumPy's x[:, :-1, :, None] * [1, 2] + x[:, 1:, :, None] * [3, 4]
				first := float64(x[i/6*9+i%6])
				second := float64(x[i/6*9+i%6+3])
				want = append(want, first+3*second, 2*first+4*second)
			}
			got, err := Evaluate(m, check.Must(tensor.FromSlice(x, 2, 3, 3, 1)),
				check.Must(tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 1, 1, 2)))
			if err != nil {
				t.Fatalf("%s: %v", test.order, err)
			}
			check.Diff(t, test.order, want, check.Must(tensor.Slice[float64](got[0])))
		}
	})
}
