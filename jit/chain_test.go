package jit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

const softmax = `
	%least = stablehlo.constant dense<0xFF800000> : tensor<f32>
	%m = stablehlo.reduce(%s init: %least) applies stablehlo.maximum across dimensions = [2]
		: (tensor<2x8x6xf32>, tensor<f32>) -> tensor<2x8xf32>
	%mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x6xf32>
	%d = stablehlo.subtract %s, %mb : tensor<2x8x6xf32>
	%e = stablehlo.exponential %d : tensor<2x8x6xf32>
	%zero = stablehlo.constant dense<0.0> : tensor<f32>
	%t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2]
		: (tensor<2x8x6xf32>, tensor<f32>) -> tensor<2x8xf32>
	%tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x6xf32>
	%p = stablehlo.divide %e, %tb : tensor<2x8x6xf32>`

// TestChains computes modules with each chain that is possible, with those that are usual, and with none.
func TestChains(t *testing.T) {
	tests := []struct {
		name, text string
	}{
		{"softmax", `func.func @main(%s: tensor<2x8x6xf32>) -> tensor<2x8x6xf32> {` + softmax + `
			return %p : tensor<2x8x6xf32> }`},
		{"attention", `func.func @main(%x: tensor<2x8x4xf32>) -> tensor<8x2x4xf32> {
			%k = stablehlo.slice %x [0:2, 2:8, 0:4] : (tensor<2x8x4xf32>) -> tensor<2x6x4xf32>
			%s = stablehlo.dot_general %x, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2]
				: (tensor<2x8x4xf32>, tensor<2x6x4xf32>) -> tensor<2x8x6xf32>` + softmax + `
			%o = stablehlo.dot_general %k, %p, batching_dims = [0] x [0], contracting_dims = [1] x [2]
				: (tensor<2x6x4xf32>, tensor<2x8x6xf32>) -> tensor<2x4x8xf32>
			%r = stablehlo.transpose %o, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
			return %r : tensor<8x2x4xf32> }`},
		{"rows of a product", `func.func @main(%x: tensor<24x32xbf16>) -> tensor<24x24xbf16> {
			%y = stablehlo.multiply %x, %x : tensor<24x32xbf16>
			%o = stablehlo.dot_general %y, %x, contracting_dims = [1] x [1]
				: (tensor<24x32xbf16>, tensor<24x32xbf16>) -> tensor<24x24xbf16>
			%n = stablehlo.negate %o : tensor<24x24xbf16>
			return %n : tensor<24x24xbf16> }`},
		{"rows and batches", `func.func @main(%x: tensor<24x4x8xf32>) -> (tensor<24x4x24xf32>, tensor<24x4x4xf32>) {
			%y = stablehlo.multiply %x, %x : tensor<24x4x8xf32>
			%o = stablehlo.dot_general %y, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2]
				: (tensor<24x4x8xf32>, tensor<24x4x8xf32>) -> tensor<24x4x4xf32>
			%n = stablehlo.negate %o : tensor<24x4x4xf32>
			%w = stablehlo.iota dim = 1 : tensor<8x24xf32>
			%r = stablehlo.dot_general %y, %w, contracting_dims = [2] x [0]
				: (tensor<24x4x8xf32>, tensor<8x24xf32>) -> tensor<24x4x24xf32>
			return %r, %n : tensor<24x4x24xf32>, tensor<24x4x4xf32> }`},
		{"another order of loops", `func.func @main(%x: tensor<4x6x8xf32>) -> (tensor<8x6x4xf32>, tensor<6xf32>) {
			%y = stablehlo.add %x, %x : tensor<4x6x8xf32>
			%z = stablehlo.transpose %y, dims = [2, 1, 0] : (tensor<4x6x8xf32>) -> tensor<8x6x4xf32>
			%i = stablehlo.iota dim = 1 : tensor<8x6x4xf32>
			%a = stablehlo.add %z, %i : tensor<8x6x4xf32>
			%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%t = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 2]
				: (tensor<8x6x4xf32>, tensor<f32>) -> tensor<6xf32>
			return %a, %t : tensor<8x6x4xf32>, tensor<6xf32> }`},
		{"in a loop", `func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
			%zero = stablehlo.constant dense<0> : tensor<i32>
			%r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4x16xf32> cond {
				%n = stablehlo.constant dense<3> : tensor<i32>
				%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				%one = stablehlo.constant dense<1> : tensor<i32>
				%j = stablehlo.add %i, %one : tensor<i32>
				%none = stablehlo.constant dense<0.0> : tensor<f32>
				%s = stablehlo.reduce(%v init: %none) applies stablehlo.add across dimensions = [1]
					: (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
				%b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x16xf32>
				%w = stablehlo.subtract %v, %b : tensor<4x16xf32>
				stablehlo.return %j, %w : tensor<i32>, tensor<4x16xf32>
			}
			return %r#1 : tensor<4x16xf32> }`},
		{"convolution", `func.func @main(%x: tensor<4x6x6x4xf32>) -> tensor<4x6x6x8xf32> {
			%w = stablehlo.iota dim = 3 : tensor<3x3x4x8xf32>
			%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
				window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
				: (tensor<4x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<4x6x6x8xf32>
			return %y : tensor<4x6x6x8xf32> }`},
		{"convolution of one image", `func.func @main(%x: tensor<1x13x9x4xf32>) -> tensor<1x6x5x8xf32> {
			%w = stablehlo.iota dim = 3 : tensor<3x3x4x8xf32>
			%p = stablehlo.negate %x : tensor<1x13x9x4xf32>
			%y = stablehlo.convolution(%p, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
				window = {stride = [2, 1], pad = [[1, 1], [0, 0]], rhs_dilate = [2, 2]}
				{batch_group_count = 1 : i64, feature_group_count = 1 : i64}
				: (tensor<1x13x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x5x8xf32>
			%z = stablehlo.abs %y : tensor<1x6x5x8xf32>
			return %z : tensor<1x6x5x8xf32> }`},
		{"other rows", `func.func @main(%x: tensor<9x16xf32>) -> tensor<8xf32> {
			%y = stablehlo.multiply %x, %x : tensor<9x16xf32>
			%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%t = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1]
				: (tensor<9x16xf32>, tensor<f32>) -> tensor<9xf32>
			%a = stablehlo.slice %t [0:8] : (tensor<9xf32>) -> tensor<8xf32>
			%b = stablehlo.slice %t [1:9] : (tensor<9xf32>) -> tensor<8xf32>
			%r = stablehlo.subtract %a, %b : tensor<8xf32>
			return %r : tensor<8xf32> }`},
		{"a turned operand", `func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
			%y = stablehlo.multiply %x, %x : tensor<16x16xf32>
			%z = stablehlo.transpose %y, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
			%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%t = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1]
				: (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
			%b = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
			%r = stablehlo.subtract %y, %b : tensor<16x16xf32>
			return %r : tensor<16x16xf32> }`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			results := func(chains string) []tensor.View {
				t.Setenv("CALLIOPE_JIT_CHAINS", chains)
				e := compile(t, tt.text)
				in, err := ramp(e.Inputs()[0])
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Call(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			want := results("none")
			for _, chains := range []string{"all", ""} {
				if diff := cmp.Diff(want, results(chains)); diff != "" {
					t.Errorf("chains %q (-none +got):\n%s", chains, diff)
				}
			}
		})
	}
}

// TestChainsVariable checks the error for another word.
func TestChainsVariable(t *testing.T) {
	t.Setenv("CALLIOPE_JIT_CHAINS", "some")
	m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main() { return }")
	_, err := jit.Compile(t.Context(), m, jit.Options{})
	check.Error(t, err, `CALLIOPE_JIT_CHAINS is "some": use all or none`)
}

// ramp returns an array of small whole numbers, of which sums are exact.
func ramp(s tensor.Shape) (tensor.View, error) {
	list := make([]float32, s.NumElements())
	for i := range list {
		list[i] = float32(i*7%11 - 5)
	}
	if s.DType == tensor.BF16 {
		short := make([]tensor.BFloat16, len(list))
		for i, x := range list {
			short[i] = tensor.ToBFloat16(x)
		}
		return tensor.FromSlice(short, s.Dims...)
	}
	return tensor.FromSlice(list, s.Dims...)
}
