package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/passes"
)

// TestKeepShiftedUpdates states which updates are protected, and how: tests/deviations and soak movement run them.
func TestKeepShiftedUpdates(t *testing.T) {
	const (
		barrier = "optimization_barrier"
		choice  = "select"
	)
	slice := func(of string) string {
		return "%u = stablehlo.slice " + of + " [0:2, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>\n"
	}
	const (
		shape = "%x = stablehlo.reshape %p : (tensor<6xf32>) -> tensor<3x2xf32>\n"
		sum   = "%x = stablehlo.add %q, %q : tensor<3x2xf32>\n"
		flat  = "%v = stablehlo.slice %p [0:4] : (tensor<6xf32>) -> tensor<4xf32>\n" +
			"%u = stablehlo.reshape %v : (tensor<4xf32>) -> tensor<2x2xf32>\n"
		reshaped  = "%r = stablehlo.reshape %w : (tensor<3x2xf32>) -> tensor<3x1x2xf32>\n"
		unchanged = "%r = stablehlo.negate %w : tensor<3x2xf32>\n"
	)
	for _, test := range []struct{ name, before, after, want string }{
		{"of itself", sum + slice("%x"), unchanged, ""},
		{"of itself, then reshaped", sum + slice("%x"), reshaped, barrier},
		{"of itself, then gathered", sum + slice("%x"), `%zeros = stablehlo.constant dense<0> : tensor<2xi32>
			%r = "stablehlo.gather"(%w, %zeros) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1],
			start_index_map = [0, 1]>, slice_sizes = array<i64: 3, 2>}> :
			(tensor<3x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
			`, barrier},
		{"of another one, then reshaped", sum + slice("%q"), reshaped, ""},
		{"reshaped, of itself", shape + slice("%x"), unchanged, barrier},
		{"reshaped, of itself, then reshaped", shape + slice("%x"), reshaped, barrier},
		{"reshaped, of another one", shape + slice("%q"), unchanged, ""},
		{"reshaped, of what it was before", shape + flat, unchanged, choice},
		{"reshaped, behind a barrier, of what it was before", strings.ReplaceAll(shape, "%x", "%y") +
			"%x = stablehlo.optimization_barrier %y : tensor<3x2xf32>\n" + flat, unchanged, choice},
		{"a whole slice, of what it was before",
			"%x = stablehlo.slice %q [0:3, 0:2] : (tensor<3x2xf32>) -> tensor<3x2xf32>\n" + slice("%q"), unchanged, choice},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, `
func.func @main(%p: tensor<6xf32>, %q: tensor<3x2xf32>, %i: tensor<i32>, %j: tensor<ui64>) {
  `+test.before+`
  %w = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  `+test.after+`
  return
}`)
			before := strings.Count(m.String(), barrier)
			for _, want := range []bool{test.want != "", false} { // a second run changes nothing
				n, err := passes.KeepShiftedUpdates(m)
				check.NoError(t, err)
				check.NoError(t, m.Verify())
				check.Diff(t, "protected", want, n > 0)
			}
			text := m.String()
			check.Diff(t, "barrier", test.want == barrier, strings.Count(text, barrier) > before)
			check.Diff(t, "choice", test.want == choice, strings.Contains(text, choice))
			check.Diff(t, "update", test.want != choice, strings.Contains(text, "dynamic_update_slice"))
		})
	}
}
