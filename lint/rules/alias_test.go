package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// TestAliasInvalidAlone checks that the rule explains what the library refuses, as it does with the others.
func TestAliasInvalidAlone(t *testing.T) {
	alias := func(output string, operand int) string {
		return fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = [%s], operand_index = %d, "+
			"operand_tuple_indices = []>", output, operand)
	}
	for name, test := range map[string]struct{ aliases, want string }{
		"type": {alias("0", 1), "alias 0 of the call of @f (output [0], operand 1 []): " +
			"the operand is tensor<2xf32> and the result tensor<2x3xf32>: "},
		"operand":      {alias("0", 2), "alias 0 of the call of @f (output [0], operand 2 []): "},
		"result":       {alias("2", 0), "alias 0 of the call of @f (output [2], operand 0 []): "},
		"second":       {alias("0", 0) + ", " + alias("1", 0), "alias 1 of the call of @f (output [1], operand 0 []): "},
		"another rule": {alias("", 0) + ", " + alias("1", 1), "alias 1 of the call of @f (output [1], operand 1 []): "},
	} {
		t.Run(name, func(t *testing.T) {
			text := `func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %0:2 = stablehlo.custom_call @f(%a, %b) {api_version = 4 : i32, output_operand_aliases = [` + test.aliases +
				`]} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}`
			run := func(rules []*lint.Analyzer) (own, others []string) {
				o := lint.Options{Analyzers: rules}
				for _, d := range check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text), o)) {
					if d.Rule == "alias-invalid" {
						own = append(own, d.String())
					} else {
						others = append(others, d.Rule)
					}
				}
				return own, others
			}
			alone, others := run([]*lint.Analyzer{rules.AliasInvalid})
			check.Diff(t, "others alone", 0, len(others))
			if len(alone) != 1 || !strings.HasPrefix(alone[0], "f:2:10: error: "+test.want) {
				t.Errorf("%q, want %q", alone, test.want)
			}
			all, others := run(rules.All())
			check.Diff(t, "with all rules", alone, all)
			check.Diff(t, "invalid with all rules", false, slices.Contains(others, finding.Invalid))
		})
	}
}
