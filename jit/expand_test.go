package jit_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestConstantSizes has operations whose sizes are constant operands.
func TestConstantSizes(t *testing.T) {
	got := run(t, `func.func @main(%x: tensor<1x3xf32>, %i: tensor<1xi32>) ->
			(tensor<6xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1x1x2xf32>) {
		%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
		%1 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
		%p = stablehlo.dynamic_pad %x, %zero, %0, %1, %0 :
			(tensor<1x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x8xf32>
		%s = stablehlo.slice %p [0:1, 1:7] : (tensor<1x8xf32>) -> tensor<1x6xf32>
		%six = stablehlo.constant dense<6> : tensor<1xi32>
		%a = stablehlo.dynamic_reshape %s, %six : (tensor<1x6xf32>, tensor<1xi32>) -> tensor<6xf32>
		%three = stablehlo.constant dense<3> : tensor<1xi64>
		%b = stablehlo.dynamic_reshape %x, %three : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<3xf32>
		%one = stablehlo.constant dense<1> : tensor<1xi32>
		%c = "stablehlo.dynamic_gather"(%b, %i, %one) <{dimension_numbers = #stablehlo.gather<offset_dims = [0],
			start_index_map = [0], index_vector_dim = 0>, indices_are_sorted = false}> :
			(tensor<3xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xf32>
		%y = stablehlo.reshape %x : (tensor<1x3xf32>) -> tensor<1x1x3xf32>
		%k = stablehlo.constant dense<1.0> : tensor<1x1x2xf32>
		%pad = stablehlo.constant dense<0> : tensor<1x2xi64>
		%d = "stablehlo.dynamic_conv"(%y, %k, %pad) <{dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>,
			feature_group_count = 1 : i64, batch_group_count = 1 : i64}> :
			(tensor<1x1x3xf32>, tensor<1x1x2xf32>, tensor<1x2xi64>) -> tensor<1x1x2xf32>
		return %a, %b, %c, %d : tensor<6xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1x1x2xf32> }`,
		check.Must(tensor.FromSlice([]float32{1, 2, 3}, 1, 3)), tensor.Vector[int32](2))
	check.Diff(t, "results", "[f32[6] [1 0 2 0 3 0] f32[3] [1 2 3] f32[1] [3] f32[1,1,2] [3 5]]", fmt.Sprint(got))
}

// TestDynamicIota has places that integers of the width of the type lack.
func TestDynamicIota(t *testing.T) {
	got := run(t, `func.func @main() -> tensor<1xf32> {
		%n = stablehlo.constant dense<70000> : tensor<1xi32>
		%i = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<70000xbf16>
		%s = stablehlo.slice %i [60000:60001] : (tensor<70000xbf16>) -> tensor<1xbf16>
		%0 = stablehlo.convert %s : (tensor<1xbf16>) -> tensor<1xf32>
		return %0 : tensor<1xf32> }`)
	check.Diff(t, "result", "[f32[1] [59904]]", fmt.Sprint(got))
}

// TestComplexCubeRoot has zero, and numbers on both axes.
func TestComplexCubeRoot(t *testing.T) {
	got := run(t, `func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
		%0 = stablehlo.cbrt %x : tensor<4xcomplex<f32>>
		return %0 : tensor<4xcomplex<f32>> }`, tensor.Vector[complex64](0, 8, 8i, -27i))
	root := math.Sqrt(3)
	for i, want := range []complex128{0, 2, complex(root, 1), complex(1.5*root, -1.5)} {
		if x := complex128(got[0].At(i).(complex64)); cmplx.Abs(x-want) > 1e-6 {
			t.Errorf("element %d is %v, want %v", i, x, want)
		}
	}
}

// TestRoundConstants rounds constants of f8E3M4, one of them to infinity.
func TestRoundConstants(t *testing.T) {
	for name, want := range map[string]string{
		"ceil": "[2 -2 +Inf]", "floor": "[1 -3 15]", "round_nearest_afz": "[2 -3 +Inf]",
		"round_nearest_even": "[2 -2 +Inf]",
	} {
		got := run(t, `func.func @main() -> tensor<3xf32> {
			%0 = stablehlo.constant dense<[1.5, -2.5, 15.5]> : tensor<3xf8E3M4>
			%1 = stablehlo.`+name+` %0 : tensor<3xf8E3M4>
			%2 = stablehlo.convert %1 : (tensor<3xf8E3M4>) -> tensor<3xf32>
			return %2 : tensor<3xf32> }`)
		check.Diff(t, name, "f32[3] "+want, fmt.Sprint(got[0]))
	}
}
