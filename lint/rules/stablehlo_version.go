package rules

import (
	"errors"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// StableHLOVersion reports the first operation that the target version of StableHLO lacks.
var StableHLOVersion = &lint.Analyzer{
	Name: "stablehlo-version",
	Doc:  "a module needs a later version of StableHLO than the target has",
	Run:  stablehloVersion,
	Details: `Severity: error.

A plugin reads modules up to one version of StableHLO. -target-stablehlo, or target-stablehlo in the configuration, names
it; without it the rule reports nothing. The rule tries to write the module as a portable artifact of this version, and
reports the first operation that has no form in it, with the version that has one.

    mlir-lint -target-stablehlo 1.13.3 model.mlir

Use a plugin of that version, or change the operation. Modules that portable artifacts cannot hold, with operations of
other dialects or with Shardy's attributes, are not reported: they travel as text. Source: StableHLO's version log, in the
dialect VHLO.`,
}

func stablehloVersion(p *lint.Pass) error {
	if p.TargetStableHLO == "" {
		return nil
	}
	_, err := stablehlo.Unprepared(p.Module).Artifact(p.TargetStableHLO)
	lacks, ok := errors.AsType[*stablehlo.VersionError](err)
	if !ok {
		return nil
	}
	at := p.Module.Operation()
	for op := range p.Operations(lacks.Operation) {
		if op.Location().Position() == lacks.Position {
			at = op
			break
		}
	}
	needs := "a later version"
	if lacks.Needs != "" {
		needs = "StableHLO " + lacks.Needs
	}
	p.Report(at, finding.Error,
		"%s needs %s in this form, and the target has %s: use a plugin with a later version, or change the operation",
		lacks.Operation, needs, lacks.Version)
	return nil
}
