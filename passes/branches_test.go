package passes_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

// TestReturnThroughBranches checks what is left alone; tests/branch_test.go runs the others.
func TestReturnThroughBranches(t *testing.T) {
	for _, test := range []struct {
		name       string
		branch     string
		after      string
		attributes string
		result     string
		want       int
	}{
		{"effect", effectOn("%x"), "", "", "%y", 1},
		{"no effect", "", "", "", "%y", 0},
		{"no effect that counts", strings.Replace(effectOn("%x"), "has_side_effect = true", "has_side_effect = false", 1), "", "", "%y", 0},
		{"function", "func.call @taps(%x) : (tensor<i32>) -> ()", "", "", "%y", 1},
		{"result of the branch", effectOn("%x"), "", "", "%0", 0},
		{"computed from it", effectOn("%x"), "%1 = stablehlo.add %y, %0 : tensor<i32>", "", "%1", 0},
		{"computed later", effectOn("%x"), "%1 = stablehlo.add %y, %y : tensor<i32>\n  %2 = stablehlo.negate %1 : tensor<i32>", "", "%2", 1},
		{"later call", effectOn("%x"), "%1 = func.call @branches(%y) : (tensor<i32>) -> tensor<i32>", "", "%y", 2},
		{"recursion", "%1 = func.call @main(%x) : (tensor<i32>) -> tensor<i32>", effectOn("%y"), "", "%y", 0},
		{"sharding", effectOn("%x"), "", `{mhlo.sharding = "{replicated}"}`, "%y", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func private @taps(%i: tensor<i32>) {
  `+effectOn("%i")+`
  return
}
func.func private @branches(%i: tensor<i32>) -> tensor<i32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    `+effectOn("%i")+`
    stablehlo.return %i : tensor<i32>
  }, {
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %i : tensor<i32>
}
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.negate %x : tensor<i32>
  %p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    `+test.branch+`
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %y : tensor<i32>
  }) `+test.attributes+` : (tensor<i1>) -> tensor<i32>
  `+test.after+`
  return `+test.result+` : tensor<i32>
}`)
			others := 1 // in the function branches
			if test.name == "recursion" {
				others = 0
			}
			n, err := passes.ReturnThroughBranches(m)
			check.NoError(t, err)
			check.Diff(t, "values", test.want+others, n)
			again, err := passes.ReturnThroughBranches(m)
			check.NoError(t, err)
			check.Diff(t, "values, again", 0, again)
		})
	}
}
