package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// Outfeed reports every outfeed.
var Outfeed = &lint.Analyzer{
	Name: "outfeed",
	Doc:  "an outfeed sends values to a host queue that current runtimes do not drain, so the program hangs",
	Run:  outfeed,
}

var outfeedNames = []string{"stablehlo.outfeed", "mhlo.outfeed"}

func outfeed(p *lint.Pass) error {
	for op := range p.Operations(outfeedNames...) {
		p.ReportFix(op, mlir.SeverityError, migrate,
			"%s sends values to a host queue that current runtimes do not drain, so the program hangs here: %s", op.Name(), instead)
	}
	return nil
}
