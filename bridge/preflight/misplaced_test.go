package preflight_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestMisplaced has a callback in the comparator of a sort. Check reports it with its place.
func TestMisplaced(t *testing.T) {
	registered(t)
	const module = `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32,
      backend_config = {callback = "any", form = "pure", v = 1 : i64}} : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	const want = ":4:10: the custom call @calliope_runtime_call is in the body of a stablehlo.sort, where XLA cannot make it"
	found, ok := errors.AsType[*preflight.Error](preflight.Check(parse(t, module), preflight.Options{File: "m.mlir"}))
	if !ok || len(found.Problems) != 1 || !strings.Contains(found.Error(), "m.mlir"+want) {
		t.Fatalf("Check returned %v", found)
	}
	check.Diff(t, "kind", preflight.BadPlace, found.Problems[0].Kind)
}
