package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// TestKeepValues checks which operands become selects; tests/branch_test.go and tests/random_returns_test.go run such
// modules.
func TestKeepValues(t *testing.T) {
	writes := strings.NewReplacer("observe", "passthrough", "()}", "", "has_side_effect",
		`output_operand_aliases = [#stablehlo.output_operand_alias<
		output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], has_side_effect`, "-> ()", "-> tensor<i32>")
	on := func(v, result string) string { return result + " = " + writes.Replace(effectOn(v)) }
	loop := effectOn("%y") + `
		%v = stablehlo.while(%i = %y) : tensor<i32> cond { stablehlo.return %p : tensor<i1> } do {
			%n = stablehlo.add %i, %i : tensor<i32>
			stablehlo.return %n : tensor<i32>
		}`
	for _, test := range []struct {
		name           string
		before, branch string
		result         string
		want           int
	}{
		{"reads in a branch", "", effectOn("%y"), "%y", 0},
		{"writes in a branch", "", on("%y", "%w"), "%y", 1},
		{"writes in a branch, several results", "", on("%y", "%w"), "%y, %x", 1},
		{"writes to what the branch computes", "", "%v = stablehlo.constant dense<1> : tensor<i32>\n" + on("%v", "%w"),
			"%y", 0},
		{"function in a branch", "", "func.call @writes(%y) : (tensor<i32>) -> ()", "%y", 1},
		{"function", "func.call @writes(%y) : (tensor<i32>) -> ()", "", "%x, %x", 0},
		{"writes to what main returns alone", on("%x", "%w"), "", "%x", 1},
		{"returns what was written", on("%x", "%w"), "", "%w", 0},
		{"writes to one of several results", on("%x", "%w"), "", "%x, %y", 0},
		{"if in a branch", "", effectOn("%y") + `
			%v = "stablehlo.if"(%p) ({
				stablehlo.return %y : tensor<i32>
			}, {
				%w = stablehlo.constant dense<1> : tensor<i32>
				stablehlo.return %w : tensor<i32>
			}) : (tensor<i1>) -> tensor<i32>`, "%y, %x", 2},
		{"loop in a branch", "", loop, "%y", 2},
		{"loop with a byte in a branch", "", loop, "%y", 2},
		{"what a loop passes on", `
			%l:2 = stablehlo.while(%i = %y, %k = %y) : tensor<i32>, tensor<i32> cond { stablehlo.return %p : tensor<i1> } do {
				%n = "stablehlo.if"(%p) ({ stablehlo.return %i : tensor<i32> }, { stablehlo.return %k : tensor<i32> }) : (tensor<i1>) -> tensor<i32>
				stablehlo.return %n, %n : tensor<i32>, tensor<i32>
			}` + "\n" + on("%l#0", "%w"), "", "%l#1", 5},
		{"no side effect", "", strings.Replace(on("%y", "%w"), "has_side_effect = true", "has_side_effect = false", 1),
			"%y", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			types := strings.TrimPrefix(strings.Repeat(", tensor<i32>", strings.Count(test.result, "%")), ", ")
			text := `
func.func @main(%x: tensor<i32>) -> (` + types + `) {
  %s = stablehlo.constant dense<false> : tensor<i1>
  %p = stablehlo.optimization_barrier %s : tensor<i1>
  %y = stablehlo.constant dense<7> : tensor<i32>
  ` + test.before + `
  %0 = "stablehlo.if"(%p) ({
    ` + test.branch + `
    stablehlo.return %s : tensor<i1>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return ` + test.result + ` : ` + types + `
}`
			if strings.Contains(text, "@writes") {
				text += "\nfunc.func private @writes(%i: tensor<i32>) {\n" + on("%i", "%w") + "\n return\n}"
			}
			if strings.Contains(test.name, "byte") { // which is the type of a token, too
				text = strings.ReplaceAll(text, "tensor<i32>", "tensor<1xi8>")
			}
			m := parse(t, text)
			n, err := xlafix.KeepValues(m)
			check.NoError(t, err)
			check.Diff(t, "selects", test.want, n)
			check.Diff(t, "selects in the module", test.want, strings.Count(m.String(), "stablehlo.select"))
			m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
				for _, e := range aliasing.Explain(op) {
					if kept.Is(op.Operand(int(e.Alias.OperandIndex))) {
						check.Diff(t, "the cause of its copy", aliasing.Kept, e.Cause)
					}
				}
				return mlir.WalkContinue
			})
			before := m.String()
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			check.Diff(t, "what a second run makes of the module", before, m.String())
		})
	}
}
