package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestSeparateResults separates what may be x, and leaves the rest.
func TestSeparateResults(t *testing.T) {
	for _, test := range []struct {
		name, of string // x or y, into r
		branches int    // that are separated if another branch returns x
		loops    int    // that are separated if they carry x and return r
	}{
		{"barrier", "%r = stablehlo.optimization_barrier %x : T", 1, 1},
		{"product with one", "%r = stablehlo.multiply %one, %x : T", 1, 1},
		{"minimum of one value", "%r = stablehlo.minimum %x, %x : T", 1, 1},
		{"product of two", "%r = stablehlo.multiply %x, %y : T", 0, 0},
		{"square", "%r = stablehlo.multiply %x, %x : T", 1, 1}, // of a boolean, it is the boolean
		{"selection", "%r = stablehlo.select %p, %x, %y : tensor<4xi1>, T", 1, 1},
		{"sine", "%r = stablehlo.sine %x : T", 1, 1}, // of an inverse sine, it would be one
		{"constant", "%r = stablehlo.multiply %one, %one : T", 0, 0},
		{"update of all", "%r = stablehlo.dynamic_update_slice %y, %x, %i : (T, T, tensor<i32>) -> T", 1, 1},
		{"update of one", "%s = stablehlo.slice %x [1:2] : (T) -> tensor<1xf32>\n" +
			"%r = stablehlo.dynamic_update_slice %x, %s, %i : (T, tensor<1xf32>, tensor<i32>) -> T", 0, 0},
		{"product", "%r = stablehlo.dot %x, %w : (T, tensor<4x4xf32>) -> T", 0, 0},
		{"callback", `%r = stablehlo.custom_call @f(%x) {api_version = 4 : i32} : (T) -> T`, 0, 0},
		{"annotation", `%r = stablehlo.custom_call @Sharding(%x) : (T) -> T`, 1, 1},
		{"kept value", "%s = stablehlo.convert %x : (T) -> tensor<4xi64>\n%t = stablehlo.or %s, %ones : tensor<4xi64>\n" +
			"%c = stablehlo.compare NE, %t, %zeros : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>\n" +
			"%r = stablehlo.select %c, %x, %one : tensor<4xi1>, T", 0, 0},
		{"function", "%r = func.call @f(%y, %x) : (T, T) -> T", 1, 1},
		{"loop", "%r = stablehlo.while(%v = %x) : T\ncond {\nstablehlo.return %q : tensor<i1>\n} do {\n" +
			"%s = stablehlo.add %v, %y : T\nstablehlo.return %s : T\n}", 1, 1},
		{"branches", "%r = \"stablehlo.if\"(%q) ({\nstablehlo.return %x : T\n}, {\n%s = stablehlo.add %x, %y : T\n" +
			"stablehlo.return %s : T\n}) : (tensor<i1>) -> T", 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			const module = `
func.func private @f(%a: T, %b: T) -> T {
  return %b : T
}
func.func @main(%x: T, %y: T, %w: tensor<4x4xf32>, %p: tensor<4xi1>, %q: tensor<i1>, %i: tensor<i32>) -> T {
  %one = stablehlo.constant dense<1.0> : T
  %zeros = stablehlo.constant dense<0> : tensor<4xi64>
  %ones = stablehlo.constant dense<1> : tensor<4xi64>
  %0 = BODY
  return %0 : T
}`
			branch := `"stablehlo.case"(%i) ({
    OF
    stablehlo.return %r : T
  }, {
    stablehlo.return %x : T
  }) : (tensor<i32>) -> T`
			loop := `stablehlo.while(%x1 = %x) : T
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    OF
    stablehlo.return %r : T
  }`
			for body, want := range map[string]int{
				strings.ReplaceAll(branch, "OF", test.of):                                test.branches,
				strings.ReplaceAll(loop, "OF", strings.ReplaceAll(test.of, "%x", "%x1")): test.loops,
			} {
				m := parse(t, strings.ReplaceAll(strings.ReplaceAll(module, "BODY", body), "T", "tensor<4xf32>"))
				for _, want := range []int{want, 0} { // a second run changes nothing
					n, err := xlafix.SeparateResults(m)
					check.NoError(t, err)
					check.Diff(t, "separated results", want, n)
				}
				check.NoError(t, m.Verify())
			}
		})
	}
}
