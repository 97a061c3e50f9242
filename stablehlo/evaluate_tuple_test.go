package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestEvaluateRefusesTuples has functions that take or return a tuple, on which the interpreter aborts.
func TestEvaluateRefusesTuples(t *testing.T) {
	const pair = "tuple<tensor<f32>, tensor<f32>>"
	for want, text := range map[string]string{
		"func.func at test.mlir:5:": `func.func @main(%a: tensor<f32>) -> tensor<f32> {
			%t = stablehlo.tuple %a, %a : ` + pair + `
			%r = func.call @f(%t) : (` + pair + `) -> tensor<f32>
			return %r : tensor<f32> }
			func.func private @f(%t: ` + pair + `) -> tensor<f32> {
			%r = stablehlo.get_tuple_element %t[1] : (` + pair + `) -> tensor<f32>
			return %r : tensor<f32> }`,
		"func.call at test.mlir:2:": `func.func @main(%a: tensor<f32>) -> tensor<f32> {
			%t = func.call @f(%a) : (tensor<f32>) -> ` + pair + `
			%r = stablehlo.get_tuple_element %t[1] : (` + pair + `) -> tensor<f32>
			return %r : tensor<f32> }
			func.func private @f(%a: tensor<f32>) -> ` + pair + ` {
			%t = stablehlo.tuple %a, %a : ` + pair + `
			return %t : ` + pair + ` }`,
	} {
		m := mlirtest.Parse(t, mlirtest.Context(t), text)
		_, err := stablehlo.Evaluate(m, tensor.Scalar[float32](2))
		check.Error(t, err, want, "tuple")
	}
}
