package identities

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
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

func TestDependsOnRounding(t *testing.T) {
	x, y := &expression{op: "x", t: tensor.F32}, &expression{op: "y", t: tensor.F32}
	root := &expression{op: "rsqrt", args: []*expression{x}, t: tensor.F32}
	values := map[*expression]tensor.View{y: tensor.Vector(float32(math.Inf(-1)), 1e6, -1e6, 100)}
	for _, test := range []struct {
		op   string
		base *expression
		want [4]bool
	}{
		{"power", root, [4]bool{true, true, true, false}},
		{"power", x, [4]bool{}},
		{"multiply", root, [4]bool{}},
	} {
		e := &expression{op: test.op, args: []*expression{test.base, y}, t: tensor.F32}
		var got [4]bool
		for i := range got {
			got[i] = dependsOnRounding(e, values, i)
		}
		check.Diff(t, e.String(), test.want, got)
	}
}
