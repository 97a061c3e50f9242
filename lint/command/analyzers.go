//go:build cgo

package command

import (
	"cmp"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// ignoreRule describes the findings about ignores, which the command makes itself.
var ignoreRule = &lint.Analyzer{
	Name:     ignore.Rule,
	Doc:      ignore.Doc,
	Severity: finding.Warning,
	Details: `Severity: warning.

The comment

    // mlir-lint:ignore rule[,rule] reason

ignores the findings of the rules on its own line, or, if nothing but the comment is on the
line, on the next line that is not a comment. Bytecode has no comments. There, and in text, an
operation with the attribute

    mlir_lint.ignore = "rule[,rule] reason"

or with an array of such texts, ignores the findings about itself and the operations in its
regions; on a module, it ignores those of the whole module.

This rule reports an ignore without a reason, of a rule that does not exist, and of a rule that
ran and found nothing there. Its own findings cannot be ignored.`,
	Run: func(*lint.Pass) error { return nil },
}

// invalidRule describes the findings about an input that cannot be checked, which package lint and the
// command make.
var invalidRule = &lint.Analyzer{
	Name: finding.Invalid,
	Doc:  report.InvalidDoc,
	Details: `Severity: error. The exit status is 2 instead of 1.

It reports

- the errors of the library about a module that it does not parse, or that its verifiers refuse,
- a file that cannot be read, is too large, takes too much time or memory, or crashes the library,
- a rule that fails, or crashes the library: the other rules run.

No other rule has seen such a module, or has seen all of it. So this rule runs with -rules, too, unless a configuration
turns it off. A comment ignores an error that has a place in the text. A mistake in a configuration, and a path that does
not exist, are reported in its name, and nothing ignores them.`,
	Run: func(*lint.Pass) error { return nil },
}

// OwnRules returns the rules whose findings the command makes itself.
func OwnRules() []*lint.Analyzer { return []*lint.Analyzer{ignoreRule, invalidRule} }

// withOwn returns all rules of the command.
func withOwn(analyzers []*lint.Analyzer) []*lint.Analyzer {
	return append(slices.Clone(analyzers), OwnRules()...)
}

// described returns the rules as reports describe them. The user's own ones have no address.
func described(analyzers []*lint.Analyzer) (list []report.Rule) {
	known := withOwn(rules.All())
	for _, a := range analyzers {
		r := report.Rule{Name: a.Name, Doc: a.Doc, Details: a.Details, Off: a.OffByDefault,
			Severity: cmp.Or(a.Severity, finding.Error)}
		if slices.Contains(known, a) {
			r.URL = report.URL(a.Name)
		}
		list = append(list, r)
	}
	return list
}
