package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
)

// CreateToken reports every operation that creates a token: as an error if the token orders an
// outfeed or infeed, or nothing, and as a note if another operation needs it.
var CreateToken = &lint.Analyzer{
	Name: "create-token",
	Doc:  "a token that orders an outfeed or infeed, or nothing, is a remainder of old host calls",
	Run:  createToken,
}

var createTokenNames = []string{"stablehlo.create_token", "mhlo.create_token"}

func createToken(p *lint.Pass) error {
	var tokens []mlir.Value
	for op := range p.Operations(createTokenNames...) {
		tokens = append(tokens, op.Result(0))
	}
	if len(tokens) == 0 {
		return nil
	}
	reaches := newFlow(p).from(tokens)
	for _, token := range tokens {
		op := token.Owner()
		switch r := reaches[token]; {
		case r&(toOutfeed|toInfeed) != 0:
			p.ReportFix(op, mlir.SeverityError, migrate,
				"%s creates a token that orders %s, which current runtimes do not serve: %s", op.Name(), feeds(r), instead)
		case r&toOther == 0:
			fix := migrate
			if !token.HasUses() {
				fix = lint.Fix{Message: "remove the token", Erase: true}
			}
			p.ReportFix(op, mlir.SeverityError, fix,
				"%s creates a token that orders nothing, a remainder of old host calls: remove it and the values that carry it; for a host call, %s", op.Name(), instead)
		default:
			p.Report(op, mlir.SeverityNote,
				"%s creates a token that orders neither an outfeed nor an infeed, so it may stay; for a host call, %s", op.Name(), instead)
		}
	}
	return nil
}

func feeds(r reach) string {
	switch r & (toOutfeed | toInfeed) {
	case toOutfeed:
		return "an outfeed"
	case toInfeed:
		return "an infeed"
	}
	return "an outfeed and an infeed"
}
