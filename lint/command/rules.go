//go:build cgo

package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
)

// ignoreRule describes the findings about ignores, which the command makes itself.
var ignoreRule = &lint.Analyzer{
	Name: ignore.Rule,
	Doc:  "an ignore has no reason, names an unknown rule, or has no effect",
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

// choose returns the rules in a list of names.
func choose(names string, analyzers []*lint.Analyzer) ([]*lint.Analyzer, error) {
	var chosen []*lint.Analyzer
	for name := range strings.SplitSeq(names, ",") {
		a, err := find(strings.TrimSpace(name), analyzers)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(chosen, a) {
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

func find(name string, analyzers []*lint.Analyzer) (*lint.Analyzer, error) {
	for _, a := range analyzers {
		if a.Name == name {
			return a, nil
		}
	}
	known := namesOf(analyzers)
	return nil, fmt.Errorf("there is no rule %q%s: choose from %s", name, report.DidYouMean(name, known),
		strings.Join(known, ", "))
}

func namesOf(analyzers []*lint.Analyzer) (names []string) {
	for _, a := range analyzers {
		names = append(names, a.Name)
	}
	return names
}

// A selection decides which rules run on a file.
type selection struct {
	all    []*lint.Analyzer
	chosen []*lint.Analyzer // by -rules, or nil
}

// names returns the names of the rules that run on a file with a configuration, except those
// that it ignores there.
func (s selection) names(c *config.Config, ignored []string) (names []string) {
	for _, a := range s.all {
		level, set := c.Levels[a.Name]
		runs := level != config.Off && (set || !a.OffByDefault)
		if s.chosen != nil {
			runs = slices.Contains(s.chosen, a)
		}
		if runs && !slices.Contains(ignored, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// described returns the rules as reports describe them.
func described(analyzers []*lint.Analyzer) (rules []report.Rule) {
	for _, a := range analyzers {
		rules = append(rules, report.Rule{Name: a.Name, Doc: a.Doc, Details: a.Details})
	}
	return rules
}

// listed returns the output of -list.
func listed(analyzers []*lint.Analyzer) *bytes.Buffer {
	var text bytes.Buffer
	for _, a := range analyzers {
		fmt.Fprintf(&text, "%s\t%s\n", a.Name, a.Doc)
	}
	return &text
}

// explained returns the output of -explain.
func explained(name string, analyzers []*lint.Analyzer) (*bytes.Buffer, error) {
	a, err := find(name, analyzers)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s: %s\n", a.Name, a.Doc)
	if a.OffByDefault {
		text.WriteString("\nIt is off: ask for it with -rules, or give it a severity in the configuration.\n")
	}
	if a.Details != "" {
		fmt.Fprintf(&text, "\n%s\n", strings.TrimSpace(a.Details))
	}
	return &text, nil
}
