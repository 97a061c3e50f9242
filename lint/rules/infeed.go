package rules

import "github.com/calliope-mlir/calliope/lint"

// Infeed reports every infeed.
var Infeed = &lint.Analyzer{
	Name: "infeed",
	Doc:  "an infeed waits for values of a host queue that current runtimes do not fill, so the program hangs",
	Run:  infeed,
	Details: `Severity: error.

An infeed waits for arrays in a queue that the host fills, outside of the values of the program. Current
runtimes do not fill it: the program waits forever.

    %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)

Pass the arrays as arguments, or use a callback in the call form, which returns them. The repair
replaces all outfeeds, infeeds and tokens of the module and keeps their order.`,
}

var infeedNames = []string{"stablehlo.infeed", "mhlo.infeed"}

func infeed(p *lint.Pass) error {
	for op := range p.Operations(infeedNames...) {
		reportMigrate(p, op, doesReplace,
			"%s waits for values of a host queue that current runtimes do not fill, so the program hangs here: use a stablehlo.custom_call with api_version = 4 instead, in the call form", op.Name())
	}
	return nil
}
