package rules

import (
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// planOf returns what passes.Migrate would do with the module. It visits the whole module, so
// rules call it only if they have found something.
func planOf(p *lint.Pass) *passes.MigratePlan {
	type key struct{}
	return lint.Shared(p, key{},
		func() *passes.MigratePlan { return passes.PlanMigrate(p.Module, passes.MigrateOptions{}) })
}

// reportMigrate reports an error about an operation that passes.Migrate replaces or removes. If it
// leaves the operation, the finding has no repair, and says why.
func reportMigrate(p *lint.Pass, op mlir.Operation, does, format string, args ...any) {
	reason := "it migrates operations of the dialect stablehlo only"
	if !strings.HasPrefix(op.Name(), "mhlo.") {
		reason = planOf(p).Leaves(op)
	}
	if unknown := unknownFlags(p); len(unknown) > 0 && reason == "" {
		reason = "the flag at " + p.Place(unknown[0]) + " is not a constant"
	}
	if reason == "" {
		p.ReportFix(op, finding.Error, finding.Fix{Message: does, Migrate: true}, format, args...)
		return
	}
	p.Report(op, finding.Error, format+" (-fix cannot replace it: %s)", append(args, reason)...)
}

const (
	doesReplace = "replace the outfeeds, infeeds and tokens of the module by callbacks"
	doesRemove  = "remove the tokens that order nothing"
)
