package jit_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestDenormalBFloat16 holds that what rounds to a denormal number of bf16 is one, in loops that LLVM vectorizes and in
// kernels, and that one stays so that LLVM moves to another block: an instruction of x86 that rounds to bf16 makes a
// zero of it, and processors without it have none.
func TestDenormalBFloat16(t *testing.T) {
	for name, text := range map[string]string{
		"add": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<40x40xbf16> {
			%0 = stablehlo.add %x, %x : tensor<40x40xbf16>
			return %0 : tensor<40x40xbf16> }`,
		"reduce": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<40xbf16> {
			%z = stablehlo.constant dense<0.0> : tensor<bf16>
			%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] :
				(tensor<40x40xbf16>, tensor<bf16>) -> tensor<40xbf16>
			return %0 : tensor<40xbf16> }`,
		"small": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<2x40xbf16> {
			%c = stablehlo.constant dense<1.0> : tensor<2x40xbf16>
			%0 = stablehlo.dot_general %c, %x, contracting_dims = [1] x [0] :
				(tensor<2x40xbf16>, tensor<40x40xbf16>) -> tensor<2x40xbf16>
			return %0 : tensor<2x40xbf16> }`,
		"kernel": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<40x40xbf16> {
			%c = stablehlo.constant dense<1.0> : tensor<40x40xbf16>
			%0 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] :
				(tensor<40x40xbf16>, tensor<40x40xbf16>) -> tensor<40x40xbf16>
			return %0 : tensor<40x40xbf16> }`,
		"convolution": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<38x1xbf16> {
			%c = stablehlo.constant dense<1.0> : tensor<3x1xbf16>
			%s = stablehlo.slice %x [0:40, 3:4] : (tensor<40x40xbf16>) -> tensor<40x1xbf16>
			%r = stablehlo.reshape %s : (tensor<40x1xbf16>) -> tensor<1x40x1xbf16>
			%k = stablehlo.reshape %c : (tensor<3x1xbf16>) -> tensor<3x1x1xbf16>
			%0 = stablehlo.convolution(%r, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
				window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
				(tensor<1x40x1xbf16>, tensor<3x1x1xbf16>) -> tensor<1x38x1xbf16>
			%1 = stablehlo.reshape %0 : (tensor<1x38x1xbf16>) -> tensor<38x1xbf16>
			return %1 : tensor<38x1xbf16> }`,
		"scatter": `func.func @main(%x: tensor<40x40xbf16>) -> tensor<1xbf16> {
			%s = stablehlo.slice %x [0:1, 4:5] : (tensor<40x40xbf16>) -> tensor<1x1xbf16>
			%a = stablehlo.reshape %s : (tensor<1x1xbf16>) -> tensor<1xbf16>
			%u = stablehlo.slice %x [1:3, 4:5] : (tensor<40x40xbf16>) -> tensor<2x1xbf16>
			%i = stablehlo.constant dense<> : tensor<0x2xi32>
			%0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers =
				#stablehlo.scatter<update_window_dims = [1]>}> ({
			^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
				%r = stablehlo.add %p, %q : tensor<bf16>
				stablehlo.return %r : tensor<bf16>
			}) : (tensor<1xbf16>, tensor<0x2xi32>, tensor<2x1xbf16>) -> tensor<1xbf16>
			return %0 : tensor<1xbf16> }`,
	} {
		t.Run(name, func(t *testing.T) {
			x := tensor.View{Shape: tensor.ShapeOf(tensor.BF16, 40, 40), Data: make([]byte, 2*1600)}
			for i := range 1600 {
				x.Data[2*i] = byte(i % 7)
				x.Data[2*i+1] = byte(i % 11 / 10 * 0x80)
			}
			want, err := stablehlo.Evaluate(mlirtest.Parse(t, mlirtest.Context(t), text), x)
			check.NoError(t, err)
			got, err := compile(t, text).Call(t.Context(), x)
			check.NoError(t, err)
			check.Diff(t, "results", fmt.Sprint(want), fmt.Sprint(got))
		})
	}
}
