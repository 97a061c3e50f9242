package jit_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
)

// TestSizes has arrays whose numbers of bytes overflow, to a small number or to 0.
func TestSizes(t *testing.T) {
	for name, tt := range map[string]struct{ body, part string }{
		"no bytes": {`%i = stablehlo.iota dim = 0 : tensor<2147483648x2147483648xi32>
			%s = stablehlo.transpose %i, dims = [1, 0] : (tensor<2147483648x2147483648xi32>) -> tensor<2147483648x2147483648xi32>
			%t = stablehlo.dot_general %s, %i, contracting_dims = [1] x [0]
				: (tensor<2147483648x2147483648xi32>, tensor<2147483648x2147483648xi32>) -> tensor<2147483648x2147483648xi32>
			%0 = stablehlo.slice %t [0:1, 0:1] : (tensor<2147483648x2147483648xi32>) -> tensor<1x1xi32>`,
			"s32[2147483648,2147483648]"},
		"in a loop": {`%z = stablehlo.constant dense<0> : tensor<1x1xi32>
			%0 = stablehlo.while(%y = %z) : tensor<1x1xi32> cond {
				%c = stablehlo.constant dense<false> : tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				%b = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<4294967296x4294967297xi32>
				%w = stablehlo.slice %b [0:1, 0:1] : (tensor<4294967296x4294967297xi32>) -> tensor<1x1xi32>
				stablehlo.return %w : tensor<1x1xi32>
			}`, "s32[4294967296,4294967297]"},
		"more than memory": {`%i = stablehlo.iota dim = 0 : tensor<1048576x1048576x1048576xi8>
			%b = stablehlo.slice %i [0:1, 0:1, 0:1] : (tensor<1048576x1048576x1048576xi8>) -> tensor<1x1x1xi8>
			%c = stablehlo.convert %b : (tensor<1x1x1xi8>) -> tensor<1x1x1xi32>
			%0 = stablehlo.reshape %c : (tensor<1x1x1xi32>) -> tensor<1x1xi32>`, "s8[1048576,1048576,1048576]"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t),
				"func.func @main() -> tensor<1x1xi32> {\n"+tt.body+"\nreturn %0 : tensor<1x1xi32>\n}")
			_, err := jit.Compile(t.Context(), m, jit.Options{Isolate: true})
			check.Error(t, err, tt.part, "make it smaller")
		})
	}
}

// TestLargeComparator has a comparator whose temporaries the stack of a thread has no room for.
func TestLargeComparator(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
		%0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%w = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4000000xf32>
			%u = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<10xf32>
			%v = stablehlo.dynamic_update_slice %w, %u, %i
				: (tensor<4000000xf32>, tensor<10xf32>, tensor<i32>) -> tensor<4000000xf32>
			%r = stablehlo.dynamic_slice %v, %i, sizes = [1] : (tensor<4000000xf32>, tensor<i32>) -> tensor<1xf32>
			%s = stablehlo.reshape %r : (tensor<1xf32>) -> tensor<f32>
			%c = stablehlo.compare LT, %s, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
			stablehlo.return %c : tensor<i1>
		}) : (tensor<4xf32>) -> tensor<4xf32>
		return %0 : tensor<4xf32> }`)
	_, err := jit.Compile(t.Context(), m, jit.Options{Isolate: true})
	check.Error(t, err, "test.mlir:", "before the sort")
}
