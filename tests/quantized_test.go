package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestQuantizedForms reads a module with quantized types from text, bytecode and a portable
// artifact, in the library that mlir.OpenFor opens for each.
func TestQuantizedForms(t *testing.T) {
	const module = `func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}`
	read := func(data []byte) *mlir.Module {
		t.Helper()
		return parse(t, mlirtest.ContextOf(t, mlirtest.LibraryFor(t, data)), "quantized", data)
	}
	m := read([]byte(module))
	for form, data := range map[string][]byte{
		"text":     []byte(m.String()),
		"generic":  []byte(m.Operation().Print(mlir.PrintOptions{Generic: true})),
		"bytecode": check.Must(m.Bytecode()),
		"artifact": check.Must(stablehlo.PortableArtifact(m, "")),
	} {
		check.Diff(t, form, m.String(), read(data).String())
	}
}

// TestQuantizedCalls calls a function with quantized numbers, of which XLA has none.
func TestQuantizedCalls(t *testing.T) {
	m := parse(t, mlirtest.Context(t), "quantized", []byte(`!q = !quant.uniform<i8:f32, 0.5>
		func.func private @double(%x: tensor<2x!q>) -> tensor<2x!q> {
			%0 = stablehlo.add %x, %x : tensor<2x!q>
			return %0 : tensor<2x!q> }
		func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!q>
			%c = func.call @double(%q) : (tensor<2x!q>) -> tensor<2x!q>
			%r = stablehlo.uniform_dequantize %c : (tensor<2x!q>) -> tensor<2xf32>
			return %r : tensor<2xf32> }`))
	e, err := tryCompile(t, m)
	check.NoError(t, err)
	got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2.5))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[2] [2 5]]", fmt.Sprint(got))
}
