package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// AfterAll reports the operations that join tokens of outfeeds and infeeds, or nothing.
var AfterAll = &lint.Analyzer{
	Name: "after-all",
	Doc:  "a token that joins others and orders an outfeed or infeed, or nothing, is a remainder of old host calls",
	Run:  afterAll,
	Details: `Severity: error.

stablehlo.after_all joins tokens into one. It is an error if the joined token reaches an outfeed or an infeed,
which current runtimes do not serve, and if it reaches nothing and all its tokens are those of outfeeds and
infeeds or created for nothing. The rule follows tokens as create-token does. It does not report a token that orders,
or comes from, something else, such as send, recv, a custom call or a parameter of a public function.

    %2 = stablehlo.after_all %0, %1 : !stablehlo.token
    %3 = "stablehlo.outfeed"(%x, %2) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token

The repair is that of outfeed.

With -strict, every stablehlo.after_all is an error.`,
}

var afterAllNames = []string{"stablehlo.after_all", "mhlo.after_all"}

func afterAll(p *lint.Pass) error {
	for op := range p.Operations(afterAllNames...) {
		t := tokensOf(p)
		joined := op.Result(0)
		switch r, from := t.reaches[joined], t.from[joined]; {
		case r&(toOutfeed|toInfeed) != 0:
			reportMigrate(p, op, doesReplace,
				"%s joins tokens that order %s, which current runtimes do not serve: %s", op.Name(), namesOf(r),
				instead)
		case (r|from)&toOther == 0 && t.knows(op):
			reportMigrate(p, op, doesRemove,
				"%s joins tokens that order nothing, a remainder of old host calls: remove it and the values that carry it; for a host call, %s", op.Name(), instead)
		case p.Strict:
			p.Report(op, finding.Error,
				"%s joins tokens: order calls by values that pass through them; for a host call, %s", op.Name(),
				instead)
		}
	}
	return nil
}
