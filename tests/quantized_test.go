package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
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
