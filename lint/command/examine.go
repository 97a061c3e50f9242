//go:build cgo

package command

import (
	"bytes"
	"slices"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/command/internal/ignore"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
)

// examine checks an input that was read.
func (w *worker) examine(in input, library *mlir.Library) []finding.Finding {
	findings, failed := in.each(func(module []byte) []finding.Finding { return w.check(in, library, module) })
	return in.complete(findings, w.known, failed)
}

// check checks one module and returns the findings. Those that attributes ignore say why.
func (w *worker) check(in input, library *mlir.Library, module []byte) []finding.Finding {
	ran := func(rule string) bool { return slices.Contains(in.Rules, rule) }
	o := in.options(w.analyzers)
	attributes := attributes{known: w.known, ran: ran}
	if bytes.Contains(module, []byte(ignore.Attribute)) {
		o.Analyzers = append(o.Analyzers, attributes.rule())
	}
	findings := attributes.apply(w.checker.Check(library, in.Name, module, o))
	if err := in.addEdits(findings, library, module, o.Analyzers); err != nil {
		findings = append(findings, invalid(in.Name, "the edits of the repairs cannot be made: %v", err))
	}
	if !ran(ignore.Rule) {
		findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { return f.Rule == ignore.Rule })
	}
	return findings
}

// options returns how the input is checked.
func (in input) options(analyzers []*lint.Analyzer) lint.Options {
	o := lint.Options{Strict: in.Strict, KnownTargets: in.KnownTargets, TargetStableHLO: in.Target,
		AllowUnregistered: in.AllowUnregistered, Context: true}
	for _, a := range analyzers {
		if !slices.Contains(OwnRules(), a) && slices.Contains(in.Rules, a.Name) {
			o.Analyzers = append(o.Analyzers, a)
		}
	}
	return o
}
