package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// choose returns the rules in a list of names.
func choose(names string, rules []report.Rule) (map[string]bool, error) {
	chosen := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		r, err := find(strings.TrimSpace(name), rules)
		if err != nil {
			return nil, err
		}
		chosen[r.Name] = true
	}
	return chosen, nil
}

func find(name string, rules []report.Rule) (report.Rule, error) {
	for _, r := range rules {
		if r.Name == name {
			return r, nil
		}
	}
	known := namesOf(rules)
	return report.Rule{}, fmt.Errorf("there is no rule %q%s: choose from %s", name, report.DidYouMean(name, known),
		strings.Join(known, ", "))
}

func namesOf(rules []report.Rule) (names []string) {
	for _, r := range rules {
		names = append(names, r.Name)
	}
	return names
}

// A selection decides which rules run on a file.
type selection struct {
	all    []report.Rule
	chosen map[string]bool // by -rules, or nil
}

// names returns the names of the rules that run on a file with a configuration, except those
// that it ignores there. The rule invalid runs with -rules, too.
func (s selection) names(c *config.Config, ignored []string) (names []string) {
	for _, r := range s.all {
		level, set := c.Levels[r.Name]
		runs := level != config.Off && (set || !r.Off)
		if s.chosen != nil && (r.Name != finding.Invalid || s.chosen[r.Name]) {
			runs = s.chosen[r.Name]
		}
		if runs && !slices.Contains(ignored, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}

// listed returns the output of -list.
func listed(rules []report.Rule) *bytes.Buffer {
	var text bytes.Buffer
	for _, r := range rules {
		fmt.Fprintf(&text, "%s\t%s\n", r.Name, r.Doc)
	}
	return &text
}

// explained returns the output of -explain.
func explained(name string, rules []report.Rule) (*bytes.Buffer, error) {
	r, err := find(name, rules)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s: %s\n", r.Name, r.Doc)
	if r.Off {
		text.WriteString("\nIt is off: ask for it with -rules, or give it a severity in the configuration.\n")
	}
	if r.Details != "" {
		fmt.Fprintf(&text, "\n%s\n", strings.TrimSpace(r.Details))
	}
	return &text, nil
}
