//go:build cgo

package command

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/finding"
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
	first, last  int // the numbers of the operations, as findings have them
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
			p.Report(op, finding.Warning, "%s is %.40v, and must be a text %q, or an array of such texts",
				ignore.Attribute, value, "rule reason")
		}
		seen := map[string]bool{}
		for _, text := range texts {
			d, err := ignore.Parse(text, a.known)
			if err != nil {
				p.Report(op, finding.Warning, "%v", err)
			}
			for _, rule := range d.Rules {
				if rule == finding.Invalid {
					p.Report(op, finding.Warning,
						"findings of %s are about no operation: ignore them by a comment, or in the configuration", rule)
					continue
				}
				if seen[rule] {
					continue
				}
				seen[rule] = true
				a.found = append(a.found, ignored{rule: rule, reason: d.Reason, first: number, last: last})
				if a.ran(rule) {
					p.Report(op, finding.Warning, "%s", ignore.NoEffect(rule))
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

// apply marks the findings that are ignored, and removes those about attributes that have an effect.
func (a *attributes) apply(found []finding.Finding) []finding.Finding {
	for i := range found {
		f := &found[i]
		for j := range a.found {
			if g := &a.found[j]; f.Rule == g.rule && g.first <= f.Operation && f.Operation <= g.last {
				g.used = true
				f.Suppression = &finding.Suppression{Reason: g.reason}
			}
		}
	}
	return slices.DeleteFunc(found,
		func(f finding.Finding) bool { return f.Rule == ignore.Rule && a.hasEffect(f) })
}

// hasEffect reports whether a finding says that an attribute has no effect, but it has one.
func (a *attributes) hasEffect(d finding.Finding) bool {
	return slices.ContainsFunc(a.found, func(g ignored) bool {
		return g.used && g.first == d.Operation && strings.HasPrefix(d.Message, ignore.NoEffect(g.rule))
	})
}
