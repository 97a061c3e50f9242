//go:build cgo

package command

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/mlir"
)

// attributes collects the attributes of one module that ignore findings. Its rule reports each
// one as without effect, and apply removes these findings again for those that have an effect.
type attributes struct {
	known []string
	ran   func(rule string) bool
	found []ignored
}

// An ignored is one rule in an attribute.
type ignored struct {
	rule, reason string
	first, last  int // the numbers of the operations, as lint.Diagnostic has them
	used         bool
}

func (a *attributes) rule() *lint.Analyzer {
	return &lint.Analyzer{Name: ignore.Rule, Doc: ignoreRule.Doc, Run: a.collect}
}

func (a *attributes) collect(p *lint.Pass) error {
	number := 0
	for op := range p.Module.Operation().All() {
		number++
		value, ok := op.Attribute(ignore.Attribute)
		if !ok {
			continue
		}
		last := number - 1
		for range op.All() {
			last++
		}
		texts, ok := textsOf(value)
		if !ok {
			p.Report(op, mlir.SeverityWarning, "%s is %.40v, and must be a text %q, or an array of such texts",
				ignore.Attribute, value, "rule reason")
		}
		seen := map[string]bool{}
		for _, text := range texts {
			d, err := ignore.Parse(text, a.known)
			if err != nil {
				p.Report(op, mlir.SeverityWarning, "%v", err)
			}
			for _, rule := range d.Rules {
				if rule == lint.Invalid {
					p.Report(op, mlir.SeverityWarning,
						"findings of %s are about no operation: ignore them by a comment, or in the configuration", rule)
					continue
				}
				if seen[rule] {
					continue
				}
				seen[rule] = true
				a.found = append(a.found, ignored{rule: rule, reason: d.Reason, first: number, last: last})
				if a.ran(rule) {
					p.Report(op, mlir.SeverityWarning, "%s", ignore.NoEffect(rule))
				}
			}
		}
	}
	return nil
}

// textsOf returns the texts in a string or an array of strings.
func textsOf(value mlir.Attribute) ([]string, bool) {
	if text, ok := value.Text(); ok {
		return []string{text}, true
	}
	elements, ok := value.Elements()
	var texts []string
	for _, e := range elements {
		text, isText := e.Text()
		if !isText {
			return texts, false
		}
		texts = append(texts, text)
	}
	return texts, ok
}

// apply returns why each finding is ignored, and removes the findings about attributes that have
// an effect.
func (a *attributes) apply(found []lint.Diagnostic) ([]lint.Diagnostic, []*report.Suppression) {
	why := make([]*report.Suppression, len(found))
	for i, d := range found {
		for j := range a.found {
			if g := &a.found[j]; d.Rule == g.rule && g.first <= d.Operation && d.Operation <= g.last {
				g.used = true
				why[i] = &report.Suppression{Reason: g.reason}
			}
		}
	}
	kept, reasons := found[:0], why[:0]
	for i, d := range found {
		if d.Rule != ignore.Rule || !a.hasEffect(d) {
			kept, reasons = append(kept, d), append(reasons, why[i])
		}
	}
	return kept, reasons
}

// hasEffect reports whether a finding says that an attribute has no effect, but it has one.
func (a *attributes) hasEffect(d lint.Diagnostic) bool {
	return slices.ContainsFunc(a.found, func(g ignored) bool {
		return g.used && g.first == d.Operation && strings.HasPrefix(d.Message, ignore.NoEffect(g.rule))
	})
}
