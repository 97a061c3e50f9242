package rules

import "github.com/calliope-mlir/calliope/lint"

// Outfeed reports every outfeed.
var Outfeed = &lint.Analyzer{
	Name: "outfeed",
	Doc:  "an outfeed sends values to a host queue that current runtimes do not drain, so the program hangs",
	Run:  outfeed,
	Details: `Severity: error.

An outfeed sends arrays to a queue of the host, outside of the values of the program. Older versions of
EXLA and of JAX's host_callback read that queue. Current runtimes do not: the program waits forever as
soon as the queue is full.

    %1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token

Use a callback instead, in the observe form, or in the passthrough form if a later operation must wait for
it. The repair replaces all outfeeds, infeeds and tokens of the module and keeps their order.`,
}

var outfeedNames = []string{"stablehlo.outfeed", "mhlo.outfeed"}

func outfeed(p *lint.Pass) error {
	for op := range p.Operations(outfeedNames...) {
		reportMigrate(p, op, doesReplace,
			"%s sends values to a host queue that current runtimes do not drain, so the program hangs here: %s", op.Name(), instead)
	}
	return nil
}
