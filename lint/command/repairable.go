//go:build cgo

package command

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/mlir"
)

// A repairable selects the findings of one input to repair: those that nothing ignores, with the
// severities of the configuration.
type repairable struct {
	in         input
	known      []string
	attributes attributes
	options    lint.Options
}

func (in input) repairable(analyzers []*lint.Analyzer) *repairable {
	r := &repairable{in: in, known: namesOf(described(analyzers)), options: in.options(analyzers)}
	r.attributes = attributes{known: r.known, ran: func(string) bool { return false }}
	if bytes.Contains(in.Data, []byte(ignore.Attribute)) {
		r.options.Analyzers = append(r.options.Analyzers, r.attributes.rule())
	}
	return r
}

// apply is fix.Options.Select.
func (r *repairable) apply(data []byte, found []lint.Diagnostic) []lint.Diagnostic {
	found, why := r.attributes.apply(found)
	r.attributes.found = nil // the next round finds them again
	marks := make([]report.Finding, len(found))
	for i, d := range found {
		marks[i] = findingOf(d)
		marks[i].Suppression = why[i]
	}
	if !mlir.IsBytecode(data) {
		ignore.Apply(r.in.Name, marks, ignore.Comments(data, r.known), r.attributes.ran)
	}
	var kept []lint.Diagnostic
	for i, d := range found {
		if marks[i].Suppression != nil || d.Rule == ignore.Rule {
			continue
		}
		if level, ok := r.in.Fixing.Levels[d.Rule]; ok {
			if at := slices.Index([]config.Level{"error", "warning", "note"}, level); at >= 0 {
				d.Severity = []mlir.Severity{mlir.SeverityError, mlir.SeverityWarning, mlir.SeverityNote}[at]
			}
		}
		kept = append(kept, d)
	}
	return r.in.Fixing.wanted(kept)
}

// wanted returns the findings of the rule that is repaired, or all.
func (f fixing) wanted(found []lint.Diagnostic) []lint.Diagnostic {
	if f.Rule == "" {
		return found
	}
	migrates := func(d lint.Diagnostic) bool { return d.Fix != nil && d.Fix.Migrate }
	whole := slices.ContainsFunc(found, func(d lint.Diagnostic) bool { return d.Rule == f.Rule && migrates(d) })
	return slices.DeleteFunc(found, func(d lint.Diagnostic) bool {
		return d.Rule != f.Rule && d.Rule != lint.Invalid && !(whole && migrates(d))
	})
}
