package stablehlo

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestEvaluateSelectAndScatter has initial values that change the result, and an element that two windows select.
func TestEvaluateSelectAndScatter(t *testing.T) {
	text := func(combine string) string {
		return fmt.Sprintf(`func.func @main(%%x: tensor<4xi32>, %%s: tensor<3xi32>, %%i: tensor<i32>) -> tensor<4xi32> {
  %%0 = "stablehlo.select_and_scatter"(%%x, %%s, %%i) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%%a: tensor<i32>, %%b: tensor<i32>):
    %%1 = stablehlo.compare GE, %%a, %%b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%1 : tensor<i1>
  }, {
  ^bb0(%%a: tensor<i32>, %%b: tensor<i32>):
    %%1 = stablehlo.%s %%a, %%b : tensor<i32>
    stablehlo.return %%1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %%0 : tensor<4xi32>
}`, combine)
	}
	inputs := []tensor.View{tensor.Vector[int32](1, 9, 2, 3), tensor.Vector[int32](10, 20, 30), tensor.Scalar[int32](5)}
	for _, tt := range []struct {
		combine string
		want    tensor.View
	}{
		{"add", tensor.Vector[int32](5, 35, 5, 35)},
		{"maximum", tensor.Vector[int32](5, 20, 5, 30)},
		{"multiply", tensor.View{}},
	} {
		out, err := Evaluate(mlirtest.Parse(t, mlirtest.Context(t), text(tt.combine)), inputs...)
		if tt.want.Data == nil {
			check.Error(t, err, "stablehlo.select_and_scatter", "repeats its initial value")
			continue
		}
		check.NoError(t, err)
		check.Diff(t, tt.combine, tt.want, out[0])
	}
}
