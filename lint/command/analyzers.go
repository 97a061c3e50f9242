//go:build cgo

package command

import (
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// ignoreRule describes the findings about ignores, which the command makes itself.
var ignoreRule = &lint.Analyzer{
	Name: ignore.Rule,
	Doc:  ignore.Doc,
	Details: `The comment

    // mlir-lint:ignore rule[,rule] reason

ignores the findings of the rules on its own line, or, if nothing but the comment is on the
line, on the next line that is not a comment. Bytecode has no comments. There, and in text, an
operation with the attribute

    mlir_lint.ignore = "rule[,rule] reason"

or with an array of such texts, ignores the findings about itself and the operations in its
regions; on a module, it ignores those of the whole module.

This rule reports an ignore without a reason, of a rule that does not exist, and of a rule that
ran and found nothing there. Its own findings, and those about invalid input, cannot be ignored.
`,
	Run: func(*lint.Pass) error { return nil },
}

// withIgnore returns all rules of the command.
func withIgnore(analyzers []*lint.Analyzer) []*lint.Analyzer {
	return append(slices.Clone(analyzers), ignoreRule)
}

// described returns the rules as reports describe them.
func described(analyzers []*lint.Analyzer) (rules []report.Rule) {
	for _, a := range analyzers {
		rules = append(rules, report.Rule{Name: a.Name, Doc: a.Doc, Details: a.Details, Off: a.OffByDefault})
	}
	return rules
}
