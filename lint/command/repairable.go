//go:build cgo

package command

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/config"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/finding"
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
func (r *repairable) apply(data []byte, found []finding.Finding) []finding.Finding {
	found = r.attributes.apply(found)
	r.attributes.found = nil // the next round finds them again
	if !mlir.IsBytecode(data) {
		ignore.Apply(r.in.Name, found, ignore.Comments(data, r.known), r.attributes.ran)
	}
	var kept []finding.Finding
	for _, f := range found {
		if f.Suppression == nil && f.Rule != ignore.Rule {
			config.SetSeverity(&f, r.in.Fixing.Levels)
			kept = append(kept, f)
		}
	}
	return r.in.Fixing.wanted(kept)
}

// wanted returns the findings of the rule that is repaired, or all.
func (f fixing) wanted(found []finding.Finding) []finding.Finding {
	if f.Rule == "" {
		return found
	}
	migrates := func(d finding.Finding) bool { return d.Fix != nil && d.Fix.Migrate }
	whole := slices.ContainsFunc(found, func(d finding.Finding) bool { return d.Rule == f.Rule && migrates(d) })
	return slices.DeleteFunc(found, func(d finding.Finding) bool {
		return d.Rule != f.Rule && d.Rule != finding.Invalid && !(whole && migrates(d))
	})
}
