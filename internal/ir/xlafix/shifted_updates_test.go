package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
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
		{"of itself", sum + slice("%x"), unchanged, barrier},
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
		{"windows of one dimension", `%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%x = "stablehlo.reduce_window"(%q, %zero) <{window_dimensions = array<i64: 1, 1>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%c = stablehlo.add %a, %b : tensor<f32>
				stablehlo.return %c : tensor<f32>
			}) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
			` + slice("%x"), unchanged, barrier},
		{"a product", `%x = stablehlo.dot %q, %square : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
			` + slice("%x"), unchanged, barrier},
		{"reshaped in a function", "%x = func.call @reshaped(%p) : (tensor<6xf32>) -> tensor<3x2xf32>\n" +
			slice("%x"), unchanged, barrier},
		{"reshaped in a function, of what it was before",
			"%x = func.call @reshaped(%p) : (tensor<6xf32>) -> tensor<3x2xf32>\n" + flat, unchanged, choice},
		{"summed in a function", "%x = func.call @sum(%q) : (tensor<3x2xf32>) -> tensor<3x2xf32>\n" +
			slice("%x"), unchanged, barrier},
		{"of itself, then reshaped in a function", sum + slice("%x"),
			"%r = func.call @back(%w) : (tensor<3x2xf32>) -> tensor<6xf32>\n", barrier},
		{"a whole slice, of what it was before",
			"%x = stablehlo.slice %q [0:3, 0:2] : (tensor<3x2xf32>) -> tensor<3x2xf32>\n" + slice("%q"), unchanged, choice},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, `
func.func private @reshaped(%p: tensor<6xf32>) -> tensor<3x2xf32> {
  %r = stablehlo.reshape %p : (tensor<6xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func private @back(%p: tensor<3x2xf32>) -> tensor<6xf32> {
  %r = stablehlo.reshape %p : (tensor<3x2xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
func.func private @sum(%q: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = stablehlo.add %q, %q : tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
func.func @main(%p: tensor<6xf32>, %q: tensor<3x2xf32>, %i: tensor<i32>, %j: tensor<ui64>, %square: tensor<2x2xf32>) {
  `+test.before+`
  %w = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  `+test.after+`
  return
}`)
			before := strings.Count(m.String(), barrier)
			for _, want := range []bool{test.want != "", false} { // a second run changes nothing
				n, err := xlafix.KeepShiftedUpdates(m)
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

// TestKeepShiftedUpdatesOfUpdates protects an update of one in a function that is replaced by a choice.
func TestKeepShiftedUpdatesOfUpdates(t *testing.T) {
	m := parse(t, `
func.func private @f(%x: tensor<4xi32>, %i: tensor<i32>) -> tensor<1x4xi32> {
  %1 = stablehlo.reshape %x : (tensor<4xi32>) -> tensor<1x4xi32>
  %2 = stablehlo.dynamic_update_slice %1, %1, %i, %i : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
  return %2 : tensor<1x4xi32>
}
func.func @main(%x: tensor<4xi32>, %i: tensor<i32>) -> tensor<4x1xi32> {
  %1 = func.call @f(%x, %i) : (tensor<4xi32>, tensor<i32>) -> tensor<1x4xi32>
  %2 = stablehlo.dynamic_update_slice %1, %1, %i, %i : (tensor<1x4xi32>, tensor<1x4xi32>, tensor<i32>, tensor<i32>) -> tensor<1x4xi32>
  %3 = stablehlo.reshape %2 : (tensor<1x4xi32>) -> tensor<4x1xi32>
  return %3 : tensor<4x1xi32>
}`)
	for _, want := range []int{2, 0} {
		n, err := xlafix.KeepShiftedUpdates(m)
		check.NoError(t, err)
		check.NoError(t, m.Verify())
		check.Diff(t, "protected", want, n)
	}
}

// TestKeepShiftedUpdatesOfFunctions holds that an array that a function takes and returns is protected, and one that
// main or a loop has is not: XLA updates that in place.
func TestKeepShiftedUpdatesOfFunctions(t *testing.T) {
	const update = `
  %i = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.slice %x [0:5] : (tensor<6xi32>) -> tensor<5xi32>
  %u = stablehlo.dynamic_update_slice %x, %s, %i : (tensor<6xi32>, tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
`
	for text, want := range map[string]int{
		"func.func private @f(%x: tensor<6xi32>) -> tensor<6xi32> {" + update + "  return %u : tensor<6xi32>\n}\n" +
			"func.func @main(%y: tensor<2x3xi32>) -> tensor<2x3xi32> {\n" +
			"%x = stablehlo.reshape %y : (tensor<2x3xi32>) -> tensor<6xi32>\n" +
			"%u = call @f(%x) : (tensor<6xi32>) -> tensor<6xi32>\n" +
			"%r = stablehlo.reshape %u : (tensor<6xi32>) -> tensor<2x3xi32>\nreturn %r : tensor<2x3xi32>\n}": 2,
		"func.func @main(%x: tensor<6xi32>) -> tensor<6xi32> {" + update + "  return %u : tensor<6xi32>\n}": 0,
		"func.func @main(%y: tensor<6xi32>) -> tensor<6xi32> {\n" +
			"%p = stablehlo.constant dense<true> : tensor<i1>\n" +
			"%r = stablehlo.while(%x = %y) : tensor<6xi32> cond { stablehlo.return %p : tensor<i1> } do {" + update +
			"stablehlo.return %u : tensor<6xi32>\n}\nreturn %r : tensor<6xi32>\n}": 0,
	} {
		m := parse(t, text)
		_, err := xlafix.KeepShiftedUpdates(m)
		check.NoError(t, err)
		check.NoError(t, m.Verify())
		check.Diff(t, "barriers", want, strings.Count(m.String(), "optimization_barrier"))
		n, err := xlafix.KeepShiftedUpdates(m)
		check.NoError(t, err)
		check.Diff(t, "the second time", 0, n)
	}
}
