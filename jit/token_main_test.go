package jit_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestTokensOfMain checks that main may take or return tokens before its arrays, which are not among them.
func TestTokensOfMain(t *testing.T) {
	for name, text := range map[string]string{
		"taken": `func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }`,
		"returned": `func.func @main(%x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
			%t = stablehlo.after_all : !stablehlo.token
			return %t, %x : !stablehlo.token, tensor<2xf32>
		}`,
		"both": `func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
			return %t, %x : !stablehlo.token, tensor<2xf32>
		}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := check.Must(jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), text), jit.Options{}))
			defer e.Close()
			got := check.Must(e.Call(t.Context(), tensor.Vector[float32](1, 2)))
			check.Diff(t, "results", []tensor.View{tensor.Vector[float32](1, 2)}, got)
		})
	}
}
