package identities

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestDependsOnOrder reduces arrays that end with zeros, or with ones for a product.
func TestDependsOnOrder(t *testing.T) {
	const inf = 1e39 // overflows to infinity
	for _, test := range []struct {
		op   string
		of   []float64
		want bool
	}{
		{"sum", []float64{1, 2, 3}, false},
		{"sum", []float64{1, -1, 1e-9}, true},
		{"sum", []float64{3e38, 3e38, -3e38}, true},
		{"sum", []float64{inf, 1}, false},
		{"sum", []float64{inf, -inf}, false},
		{"dot", []float64{1, 2}, false},
		{"dot", []float64{1e19, 1e19, 1e19, 1e19}, true},
		{"multiply_of", []float64{2, 3}, false},
		{"multiply_of", []float64{1e30, 1e30, 1e-30, 1e-30}, true},
		{"multiply_of", []float64{1e-30, 1e-30}, true},
		{"negate", []float64{1, -1, 1e-9}, false},
	} {
		elements := make([]float32, length)
		for i := range elements {
			if test.op == "multiply_of" {
				elements[i] = 1
			}
			if i < len(test.of) {
				elements[i] = float32(test.of[i])
			}
		}
		x := &expression{op: "x", t: tensor.F32}
		e := &expression{op: test.op, args: []*expression{x, x}, t: tensor.F32}
		values := map[*expression]tensor.View{x: tensor.Vector(elements...)}
		check.Diff(t, test.op, test.want, dependsOnOrder(e, values))
	}
}

// TestRoundingError states which elements depend on how a library rounds.
func TestRoundingError(t *testing.T) {
	const inf = 1e39 // overflows to infinity
	x, y := &expression{op: "x", t: tensor.F32}, &expression{op: "y", t: tensor.F32}
	of := func(op string, args ...*expression) *expression {
		return &expression{op: op, args: args, t: tensor.F32}
	}
	root, log := of("rsqrt", x), of("log", x)
	for _, test := range []struct {
		e    *expression
		of   map[*expression]float64 // the values of parts
		want bool
	}{
		{of("power", root, y), map[*expression]float64{root: 2, y: -inf}, true},
		{of("power", root, y), map[*expression]float64{root: 2, y: 1e6}, true},
		{of("power", root, y), map[*expression]float64{root: 2, y: -1e6}, true},
		{of("power", root, y), map[*expression]float64{root: 2, y: 100}, false},
		{of("power", x, y), map[*expression]float64{x: 2, y: 1e6}, false},
		{of("power", x, log), map[*expression]float64{x: 1e30, log: 10}, false},
		{of("power", x, log), map[*expression]float64{x: 1e30, log: 1e4}, true},
		{of("multiply", root, y), map[*expression]float64{root: 2, y: 1e6}, false},
		{of("log", root), map[*expression]float64{root: 1.0001, nil: 1e-4}, true},
		{of("log", root), map[*expression]float64{root: 1, nil: 0}, true},
		{of("log", root), map[*expression]float64{root: 2, nil: 0.69}, false},
		{of("log", root), map[*expression]float64{root: inf, nil: inf}, false},
		{of("log", of("multiply", of("sqrt", x), root)), map[*expression]float64{nil: 1e-4}, true},
		{of("log", x), map[*expression]float64{x: 1, nil: 0}, false},
		{of("exponential", log), map[*expression]float64{log: 80}, false},
		{of("exponential", log), map[*expression]float64{log: 1e4}, true},
		{of("exponential", log), map[*expression]float64{log: inf}, false},
	} {
		values := map[*expression]tensor.View{}
		for part, v := range test.of {
			if part == nil {
				part = test.e
			}
			values[part] = tensor.Vector(float32(v))
		}
		check.Diff(t, test.e.String(), test.want, roundingError(test.e, values, 0) > progen.Tolerance[tensor.F32])
	}
}
