package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestClampNestedSlices states whose starts are clamped: tests/deviations and soak movement run them.
func TestClampNestedSlices(t *testing.T) {
	slice := func(to, of, from, start, size string) string {
		return to + " = stablehlo.dynamic_slice " + of + ", " + start + ", sizes = [" + size + "] : (tensor<" + from +
			"xf32>, tensor<i32>) -> tensor<" + size + "xf32>\n"
	}
	const gather = `%r = "stablehlo.gather"(%s, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0],
		start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 2>}> :
		(tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
		`
	for _, test := range []struct {
		name, body string
		clamps     int
	}{
		{"one slice", slice("%s", "%x", "6", "%i", "4"), 0},
		{"two of one array", slice("%s", "%x", "6", "%i", "4") + slice("%r", "%x", "6", "%k", "2"), 0},
		{"a slice of a slice", slice("%s", "%x", "6", "%i", "4") + slice("%r", "%s", "4", "%k", "2"), 2},
		{"what is in range", slice("%s", "%x", "6", "%two", "4") + slice("%r", "%s", "4", "%k", "2"), 1},
		{"a constant that is not", slice("%s", "%x", "6", "%two", "4") + slice("%r", "%s", "4", "%nine", "2"), 1},
		{"a gather of a slice", slice("%s", "%x", "6", "%i", "4") + gather, 2},
		{"of one number", slice("%s", "%x", "6", "%i", "4") +
			`%r = "stablehlo.dynamic_slice"(%i) <{slice_sizes = array<i64>}> : (tensor<i32>) -> tensor<i32>
			`, 0},
		{"of the sum with something", slice("%s", "%x", "6", "%i", "4") + "%t = stablehlo.add %s, %s : tensor<4xf32>\n" +
			slice("%r", "%t", "4", "%k", "2"), 2},
		{"in a function", slice("%s", "%x", "6", "%i", "4") +
			"%r = func.call @part(%s, %k) : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>\n", 2},
		{"in a loop that gets the slice", slice("%s", "%x", "6", "%i", "4") +
			`%l:2 = stablehlo.while(%n = %i, %y = %s) : tensor<i32>, tensor<4xf32> cond {
				%c = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				` + slice("%r", "%y", "4", "%n", "2") + `
				stablehlo.return %two, %y : tensor<i32>, tensor<4xf32>
			}
			`, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, `
func.func private @part(%x: tensor<4xf32>, %k: tensor<i32>) -> tensor<2xf32> {
  `+slice("%r", "%x", "4", "%k", "2")+`
  return %r : tensor<2xf32>
}
func.func @main(%x: tensor<6xf32>, %i: tensor<i32>, %k: tensor<i32>, %at: tensor<1xi32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  `+test.body+`
  return
}`)
			for _, want := range []int{test.clamps, 0} { // a second run changes nothing
				n, err := xlafix.ClampNestedSlices(m)
				check.NoError(t, err)
				check.NoError(t, m.Verify())
				check.Diff(t, "changed", want, n)
			}
			check.Diff(t, "clamps", test.clamps, strings.Count(m.String(), "stablehlo.clamp"))
		})
	}
}
