package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// CreateToken reports every operation that creates a token: as an error if the token orders an
// outfeed or infeed, or nothing, and as a note about its deprecation if another operation needs it.
var CreateToken = &lint.Analyzer{
	Name: "create-token",
	Doc:  "a token that orders an outfeed or infeed, or nothing, is a remainder of old host calls",
	Run:  createToken,
	Details: `Severity: error; a note if the token orders something else.

A token orders operations that share no values. The rule follows each token that stablehlo.create_token
creates through functions, loops, branches and tuples. It is an error if the token reaches an outfeed or an
infeed, which current runtimes do not serve, and if it reaches nothing: both are remainders of old host calls.
A token that reaches something else, such as send, recv or a custom call, may stay. It is a note, because StableHLO 1.0
deprecated create_token: stablehlo.after_all without operands makes the same token. In MHLO, it is not reported.

    %0 = stablehlo.create_token : !stablehlo.token
    %1 = "stablehlo.outfeed"(%x, %0) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token

Callbacks need no tokens of this type: values that pass through them order them, or arrays of one byte. The
repair is that of outfeed, which also removes tokens that order nothing.

With -strict, every create_token is an error.`,
}

var createTokenNames = []string{"stablehlo.create_token", "mhlo.create_token"}

func createToken(p *lint.Pass) error {
	for op := range p.Operations(createTokenNames...) {
		switch r := tokensOf(p).reaches[op.Result(0)]; {
		case r&(toOutfeed|toInfeed) != 0:
			reportMigrate(p, op, doesReplace,
				"%s creates a token that orders %s, which current runtimes do not serve: %s", op.Name(), namesOf(r),
				instead)
		case r&toOther == 0 && !op.Result(0).HasUses():
			p.ReportFix(op, finding.Error, finding.Fix{Message: "remove the token", Erase: true},
				"%s creates a token that orders nothing, a remainder of old host calls: remove it; for a host call, %s", op.Name(), instead)
		case r&toOther == 0:
			reportMigrate(p, op, doesRemove,
				"%s creates a token that orders nothing, a remainder of old host calls: remove it and the values that carry it; for a host call, %s", op.Name(), instead)
		case p.Strict:
			p.Report(op, finding.Error,
				"%s creates a token: order calls by values that pass through them; for a host call, %s", op.Name(), instead)
		case op.Name() == createTokenNames[0]: // mhlo.create_token is not deprecated
			p.Report(op, finding.Note,
				"%s is deprecated since StableHLO 1.0, and to be removed: write stablehlo.after_all without operands, which makes the same token", op.Name())
		}
	}
	return nil
}

// namesOf returns the feeds in a set, for messages.
func namesOf(r reach) string {
	switch r & (toOutfeed | toInfeed) {
	case toOutfeed:
		return "an outfeed"
	case toInfeed:
		return "an infeed"
	}
	return "an outfeed and an infeed"
}
