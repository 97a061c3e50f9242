package jit_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/tensor"
)

// TestApproximations holds functions that are approximated to those of package math, everywhere and at the edges.
func TestApproximations(t *testing.T) {
	tests := []struct {
		operation string
		want      func(float64) float64
	}{
		{"exponential", math.Exp},
		{"tanh", math.Tanh},
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-6, 3.9e-4, 88.72283, 88.8, -87.4, -100, -103.9, -150,
		9.1, -9.1, inf, -inf, nan}
	for v := float32(-110); v < 90; v += 0.0837 {
		x = append(x, v, v/16, v/1024)
	}
	for _, tt := range tests {
		t.Run(tt.operation, func(t *testing.T) {
			typ := fmt.Sprintf("tensor<%dxf32>", len(x))
			got := run(t, fmt.Sprintf("func.func @main(%%x: %[1]s) -> %[1]s {\n%%y = stablehlo.%[2]s %%x : %[1]s\n"+
				"return %%y : %[1]s }", typ, tt.operation), tensor.Vector(x...))
			y, err := tensor.Slice[float32](got[0])
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				want := float32(tt.want(float64(v)))
				if n := steps(y[i], want); n > 4 {
					t.Errorf("%g: got %g, want %g, %d steps away", v, y[i], want, n)
				}
			}
		})
	}
}

// steps returns how many numbers two of one sign are apart.
func steps(a, b float32) int64 {
	if a != a || b != b {
		if (a != a) == (b != b) {
			return 0
		}
		return math.MaxInt64
	}
	n := int64(math.Float32bits(a)) - int64(math.Float32bits(b))
	return max(n, -n)
}
