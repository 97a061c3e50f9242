package jit_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestAngles has atan2 of zeros that are constants, of which MLIR makes NaN, and of others.
func TestAngles(t *testing.T) {
	e := compile(t, `func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf8E4M3FN>) {
		%z = stablehlo.constant dense<0.0> : tensor<4xf32>
		%n = stablehlo.constant dense<[0.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
		%s = stablehlo.constant dense<0.0> : tensor<4xf8E4M3FN>
		%0 = stablehlo.atan2 %z, %n : tensor<4xf32>
		%1 = stablehlo.atan2 %n, %x : tensor<4xf32>
		%2 = stablehlo.atan2 %s, %s : tensor<4xf8E4M3FN>
		return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf8E4M3FN> }`)
	got, err := e.Call(t.Context(), tensor.Vector(0, 0, float32(math.Copysign(0, -1)), -2))
	check.NoError(t, err)
	pi := float32(math.Pi)
	check.Diff(t, "of zero and zeros", tensor.Vector(0, pi, 0, pi), got[0])
	check.Diff(t, "of zeros and numbers", tensor.Vector(0, float32(math.Copysign(0, -1)), pi, -pi), got[1])
	check.Diff(t, "of small zeros", []byte{0, 0, 0, 0}, got[2].Data)
}
