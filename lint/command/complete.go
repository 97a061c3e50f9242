package command

import (
	"cmp"
	"slices"

	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/quick"
)

// complete returns the findings of an input in the order of the text, with what comments ignore, the
// findings about these comments, sources and fingerprints. known are the names of the rules that
// comments may have, or nil if they are not known. failed says that rules did not see all of the input.
func (in input) complete(findings []finding.Finding, known []string, failed bool) []finding.Finding {
	if !quick.IsBytecode(in.Data) {
		ran := func(rule string) bool { return !failed && slices.Contains(in.Rules, rule) }
		about := ignore.Apply(in.Name, findings, ignore.Comments(in.Data, known), ran)
		if slices.Contains(in.Rules, ignore.Rule) {
			findings = append(findings, about...)
		}
		report.AddSources(in.Data, findings)
	}
	report.Fingerprints(findings)
	slices.SortStableFunc(findings, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return findings
}
