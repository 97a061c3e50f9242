package stablehlo

import (
	"fmt"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestEvaluateRound rounds numbers of each small type.
func TestEvaluateRound(t *testing.T) {
	in := tensor.Vector[float32](1, 1.5, 0.25, -2.5, -0.75)
	for op, want := range map[string]tensor.View{
		"round_nearest_afz":  tensor.Vector[float32](1, 2, 0, -3, -1),
		"round_nearest_even": tensor.Vector[float32](1, 2, 0, -2, -1),
		"ceil":               tensor.Vector(1, 2, 1, -2, float32(math.Copysign(0, -1))),
		"floor":              tensor.Vector[float32](1, 1, 0, -3, -1),
	} {
		for _, element := range []string{"f8E3M4", "f8E4M3", "f8E4M3FN", "f8E5M2", "f16", "bf16"} {
			m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main(%%x: tensor<5xf32>) -> tensor<5xf32> {
  %%0 = stablehlo.convert %%x : (tensor<5xf32>) -> tensor<5x%[1]s>
  %%1 = stablehlo.%[2]s %%0 : tensor<5x%[1]s>
  %%2 = stablehlo.convert %%1 : (tensor<5x%[1]s>) -> tensor<5xf32>
  return %%2 : tensor<5xf32>
}`, element, op))
			out := check.Must(Evaluate(m, in))
			check.Diff(t, op+" of "+element, hexOf(want), hexOf(out[0]))
		}
	}
}

// TestEvaluateReducePrecision overflows in formats with and without an infinity.
func TestEvaluateReducePrecision(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for element, want := range map[string]float32{"f8E4M3FNUZ": nan, "f8E5M2FNUZ": nan, "f8E4M3B11FNUZ": nan,
		"f8E4M3FN": nan, "f8E4M3": inf, "f8E5M2": inf, "f8E3M4": inf} {
		m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main() -> tensor<2xf32> {
  %%0 = stablehlo.constant dense<[15.0, 1.0]> : tensor<2x%[1]s>
  %%1 = stablehlo.reduce_precision %%0, format = e2m1 : tensor<2x%[1]s>
  %%2 = stablehlo.convert %%1 : (tensor<2x%[1]s>) -> tensor<2xf32>
  return %%2 : tensor<2xf32>
}`, element))
		out := check.Must(Evaluate(m))
		check.Diff(t, element, fmt.Sprint(tensor.Vector(want, 1)), fmt.Sprint(out[0]))
	}
}
