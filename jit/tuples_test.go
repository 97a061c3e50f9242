package jit_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestTuples has tuples in tuples, of arrays without elements, of quantized numbers, and between functions.
func TestTuples(t *testing.T) {
	const (
		pair = "tuple<tensor<2xf32>, tensor<2xf32>>"
		q    = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"
		text = `func.func @main(%x: tensor<2xf32>, %e: tensor<0xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<0xf32>) {
			%y = stablehlo.negate %x : tensor<2xf32>
			%p = stablehlo.tuple %x, %y : ` + pair + `
			%s = func.call @swap(%p) : (` + pair + `) -> ` + pair + `
			%a = stablehlo.get_tuple_element %s[0] : (` + pair + `) -> tensor<2xf32>
			%n = stablehlo.tuple %s, %e : tuple<` + pair + `, tensor<0xf32>>
			%m = stablehlo.get_tuple_element %n[0] : (tuple<` + pair + `, tensor<0xf32>>) -> ` + pair + `
			%b = stablehlo.get_tuple_element %m[1] : (` + pair + `) -> tensor<2xf32>
			%c = stablehlo.get_tuple_element %n[1] : (tuple<` + pair + `, tensor<0xf32>>) -> tensor<0xf32>
			%f = stablehlo.add %c, %e : tensor<0xf32>
			%q = stablehlo.uniform_quantize %b : (tensor<2xf32>) -> ` + q + `
			%u = stablehlo.tuple %q, %e : tuple<` + q + `, tensor<0xf32>>
			%v = stablehlo.get_tuple_element %u[0] : (tuple<` + q + `, tensor<0xf32>>) -> ` + q + `
			%w = stablehlo.uniform_dequantize %v : (` + q + `) -> tensor<2xf32>
			return %a, %w, %f : tensor<2xf32>, tensor<2xf32>, tensor<0xf32> }
		func.func private @swap(%t: ` + pair + `) -> ` + pair + ` {
			%a = stablehlo.get_tuple_element %t[0] : (` + pair + `) -> tensor<2xf32>
			%b = stablehlo.get_tuple_element %t[1] : (` + pair + `) -> tensor<2xf32>
			%r = stablehlo.tuple %b, %a : ` + pair + `
			return %r : ` + pair + ` }`
	)
	none := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 0), Data: []byte{}}
	got := run(t, text, tensor.Vector[float32](1, 2), none)
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](-1, -2), tensor.Vector[float32](1, 2), none}, got)
}

// TestTuplesOfMain refuses tuples that the caller would pass or get.
func TestTuplesOfMain(t *testing.T) {
	const pair = "tuple<tensor<f32>, tensor<f32>>"
	for want, text := range map[string]string{
		"parameter 0 of @main is tuple<": `func.func @main(%p: ` + pair + `) -> tensor<f32> {
			%a = stablehlo.get_tuple_element %p[0] : (` + pair + `) -> tensor<f32>
			return %a : tensor<f32> }`,
		"result 0 of @main is tuple<": `func.func @main(%a: tensor<f32>) -> ` + pair + ` {
			%p = stablehlo.tuple %a, %a : ` + pair + `
			return %p : ` + pair + ` }`,
	} {
		_, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), text), jit.Options{})
		check.Error(t, err, want, "func.func at test.mlir:1:", "arrays of known size")
	}
}
