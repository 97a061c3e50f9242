//go:build cgo

package command

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tools/mlir-lint/internal/ignore"
	"github.com/calliope-mlir/calliope/tools/mlir-lint/internal/report"
)

// examine checks an input that was read.
func (in input) examine(library *mlir.Library, analyzers []*lint.Analyzer) []report.Finding {
	var findings []report.Finding
	text := !mlir.IsBytecode(in.Data)
	modules := []part{{0, in.Data}}
	if in.Split && text {
		modules = partsOf(in.Data)
	}
	failed := false
	for _, m := range modules {
		found, why := in.check(library, m, analyzers)
		for i, d := range found {
			f := findingOf(d)
			if d.Line <= m.line { // the position is not known
				f.Line, f.Column = m.line+1, 1
			}
			f.Suppression = why[i]
			failed = failed || d.Rule == lint.Invalid
			findings = append(findings, f)
		}
	}
	if text {
		about := ignore.Apply(in.Name, findings, ignore.Comments(in.Data, namesOf(analyzers)), func(rule string) bool {
			return !failed && slices.Contains(in.Rules, rule)
		})
		if slices.Contains(in.Rules, ignore.Rule) {
			findings = append(findings, about...)
		}
		report.AddSources(in.Data, findings)
	}
	report.Fingerprints(findings)
	slices.SortStableFunc(findings, func(a, b report.Finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return findings
}

// check checks one module and returns the findings, and why those that are ignored by
// attributes are.
func (in input) check(library *mlir.Library, m part, analyzers []*lint.Analyzer) ([]lint.Diagnostic, []*report.Suppression) {
	ran := func(rule string) bool { return slices.Contains(in.Rules, rule) }
	o := in.options(analyzers)
	attributes := attributes{known: namesOf(analyzers), ran: ran}
	if bytes.Contains(m.data, []byte(ignore.Attribute)) {
		o.Analyzers = append(o.Analyzers, attributes.rule())
	}
	found, why := attributes.apply(lint.CheckWith(library, in.Name, m.padded(), o))
	if ran(ignore.Rule) {
		return found, why
	}
	kept, reasons := found[:0], why[:0]
	for i, d := range found {
		if d.Rule != ignore.Rule {
			kept, reasons = append(kept, d), append(reasons, why[i])
		}
	}
	return kept, reasons
}

// options returns how the input is checked.
func (in input) options(analyzers []*lint.Analyzer) lint.Options {
	o := lint.Options{Strict: in.Strict, KnownTargets: in.KnownTargets, Context: true}
	for _, a := range analyzers {
		if a != ignoreRule && slices.Contains(in.Rules, a.Name) {
			o.Analyzers = append(o.Analyzers, a)
		}
	}
	return o
}

// findingOf returns the finding of a diagnostic.
func findingOf(d lint.Diagnostic) report.Finding {
	f := report.Finding{File: d.File, Line: d.Line, Column: d.Column, Severity: report.Severity(d.Severity.String()), Message: d.Message, Rule: d.Rule, Context: d.Context}
	if d.Severity == mlir.SeverityRemark {
		f.Severity = report.Note
	}
	if d.Fix != nil {
		f.Fix = &report.Fix{Message: d.Fix.Message}
	}
	return f
}
