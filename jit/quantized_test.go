package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestQuantized computes with quantized numbers: (x/0.5 + 3) is rounded and clamped to i8.
func TestQuantized(t *testing.T) {
	got := run(t, `!q = !quant.uniform<i8:f32, 0.5:3>
		func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
		%q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!q>
		%c = stablehlo.concatenate %q, %q, dim = 0 : (tensor<2x!q>, tensor<2x!q>) -> tensor<4x!q>
		%r = stablehlo.uniform_dequantize %c : (tensor<4x!q>) -> tensor<4xf32>
		return %r : tensor<4xf32> }`, tensor.Vector[float32](1.3, 1000))
	if diff := cmp.Diff([]tensor.View{tensor.Vector[float32](1.5, 62, 1.5, 62)}, got); diff != "" {
		t.Error(diff)
	}
}

// TestQuantizedCalls calls a function with quantized numbers.
func TestQuantizedCalls(t *testing.T) {
	got := run(t, `!q = !quant.uniform<i8:f32, 0.5>
		func.func private @double(%x: tensor<2x!q>) -> tensor<2x!q> {
			%0 = stablehlo.add %x, %x : tensor<2x!q>
			return %0 : tensor<2x!q> }
		func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!q>
			%c = func.call @double(%q) : (tensor<2x!q>) -> tensor<2x!q>
			%r = stablehlo.uniform_dequantize %c : (tensor<2x!q>) -> tensor<2xf32>
			return %r : tensor<2xf32> }`, tensor.Vector[float32](1, 2.5))
	if diff := cmp.Diff([]tensor.View{tensor.Vector[float32](2, 5)}, got); diff != "" {
		t.Error(diff)
	}
}

// TestQuantizedErrors has quantized numbers where they cannot be computed with: the error names what of the module.
func TestQuantizedErrors(t *testing.T) {
	const q = "!quant.uniform<i8:f32, 0.5:3>"
	unary := func(operation string) string {
		return fmt.Sprintf(`func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {
			%%q = stablehlo.uniform_quantize %%x : (tensor<2xf32>) -> tensor<2x%[1]s>
			%%c = %[2]s (tensor<2x%[1]s>) -> tensor<2x%[1]s>
			%%r = stablehlo.uniform_dequantize %%c : (tensor<2x%[1]s>) -> tensor<2xf32>
			return %%r : tensor<2xf32> }`, q, operation)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a parameter", fmt.Sprintf("func.func @main(%%x: tensor<2x%s>) { return }", q), "parameter 0 of @main"},
		{"custom call", unary("stablehlo.custom_call @Sharding(%q) :"), "stablehlo.custom_call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), tt.text), jit.Options{})
			if err == nil || strings.Contains(err.Error(), ".go:") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
