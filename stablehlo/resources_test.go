package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestResources holds that constants in resources have their elements on the interpreter, and in an artifact.
func TestResources(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main() -> (tensor<2xf32>, tensor<3xi1>, tensor<0xi8>) {
  %0 = stablehlo.constant dense_resource<x> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<y> : tensor<3xi1>
  %2 = stablehlo.constant dense_resource<z> : tensor<0xi8>
  return %0, %1, %2 : tensor<2xf32>, tensor<3xi1>, tensor<0xi8>
}
{-# dialect_resources: { builtin: { x: "0x040000000000803F00000040", y: "0x01000000010001", z: "0x01000000" } } #-}`)
	results, err := stablehlo.Evaluate(m)
	check.NoError(t, err)
	text := ""
	for _, v := range results {
		text += v.String() + "; "
	}
	check.Diff(t, "on the interpreter", "f32[2] [1 2]; pred[3] [true false true]; s8[0] []; ", text)
	n, err := stablehlo.InlineResources(m.Operation().Index())
	check.NoError(t, err)
	check.Diff(t, "inlined", 3, n)
	_, err = stablehlo.Unprepared(m).Artifact("1.0.0")
	check.NoError(t, err)
}

// TestLostResources holds that a constant whose resource has no elements is refused with its place.
func TestLostResources(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<x> : tensor<2xf32>
  return %0 : tensor<2xf32>
}`)
	_, err := stablehlo.InlineResources(m.Operation().Index())
	check.Error(t, err, `stablehlo: test.mlir:2:8: mlir: the resource "x" has no data`)
}
