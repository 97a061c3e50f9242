package autodiff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestNarrowGroups differentiates products with groups whose sizes have a type that does not count to their sum.
func TestNarrowGroups(t *testing.T) {
	const text = `func.func @main(%a: tensor<300x1xf64>, %b: tensor<3x1x1xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%n = stablehlo.constant dense<[120, 60, 110]> : tensor<3xTYPE>
		%0 = "chlo.ragged_dot"(%a, %b, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
			lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],
			rhs_group_dimensions = [0]>
		} : (tensor<300x1xf64>, tensor<3x1x1xf64>, tensor<3xTYPE>) -> tensor<300x1xf64>
		%1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
			: (tensor<300x1xf64>, tensor<f64>) -> tensor<f64>
		return %1 : tensor<f64>
	}`
	ofA := slices.Concat(slices.Repeat([]float64{2}, 120), slices.Repeat([]float64{3}, 60),
		slices.Repeat([]float64{5}, 110), make([]float64, 10))
	a := check.Must(tensor.FromSlice(slices.Repeat([]float64{1}, 300), 300, 1))
	b := check.Must(tensor.FromSlice([]float64{2, 3, 5}, 3, 1, 1))
	var corners []corner
	for _, name := range []string{"i8", "ui8", "i16", "i32", "ui64"} {
		corners = append(corners, corner{name, strings.ReplaceAll(text, "TYPE", name), []tensor.View{a, b},
			[][]float64{ofA, {120, 60, 110}}})
	}
	holdCorners(t, corners)
}

// TestCounterWraps differentiates loops whose counter wraps around before they end. The number of their steps is not
// that of the distance.
func TestCounterWraps(t *testing.T) {
	for _, c := range []struct {
		name, counter, comparison    string
		start, step, limit, maxSteps int
		want                         float64
	}{
		{"i8", "i8", "LT", 0, 100, 120, 20, 1 << 14},
		{"ui8", "ui8", "LT", 0, 254, 255, 300, 0},
		{"ui8 down", "ui8", "GE", 2, -1, 1, 4, 4},
		{"i64", "i64", "LT", -1 << 63, 1 << 62, 1 << 62, 4, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, by := "add", c.step
			if by < 0 {
				step, by = "subtract", -by
			}
			f := function(t, parse(t, fmt.Sprintf(`func.func @main(%%x: tensor<f64>) -> tensor<f64> {
				%%two = stablehlo.constant dense<2.0> : tensor<f64>
				%%start = stablehlo.constant dense<%d> : tensor<%[2]s>
				%%limit = stablehlo.constant dense<%[3]d> : tensor<%[2]s>
				%%step = stablehlo.constant dense<%[4]d> : tensor<%[2]s>
				%%0:2 = stablehlo.while(%%i = %%start, %%c = %%x) : tensor<%[2]s>, tensor<f64>
				cond {
					%%1 = stablehlo.compare %[5]s, %%i, %%limit : (tensor<%[2]s>, tensor<%[2]s>) -> tensor<i1>
					stablehlo.return %%1 : tensor<i1>
				} do {
					%%1 = stablehlo.multiply %%c, %%two : tensor<f64>
					%%2 = stablehlo.%[6]s %%i, %%step : tensor<%[2]s>
					stablehlo.return %%2, %%1 : tensor<%[2]s>, tensor<f64>
				}
				return %%0#1 : tensor<f64>
			}`, c.start, c.counter, c.limit, by, c.comparison, step)), "main")
			grad, err := autodiff.Grad(f, autodiff.Options{MaxSteps: int64(c.maxSteps)})
			check.NoError(t, err)
			if c.want != 0 {
				got := run(t, newClient(t), grad, tensor.Scalar(1.))
				check.Diff(t, "derivative", []float64{c.want}, check.Must(tensor.Slice[float64](got[0])))
			}
			if c.want > 4 || c.want == 0 {
				_, err = autodiff.Grad(f, autodiff.Options{})
				check.Error(t, err, "constant number of steps")
			}
		})
	}
}
