package rules

import "github.com/calliope-mlir/calliope/lint"

// All returns the rules, in the order in which -list prints them.
func All() []*lint.Analyzer {
	return []*lint.Analyzer{CreateToken, Layouts, Outfeed, Placement, UnorderedEffects}
}

// instead is the end of the messages about old host calls.
const instead = "use a stablehlo.custom_call with api_version = 4 instead, in the observe or the passthrough form"

// migrate is the repair of old host calls and of the tokens that order them, or nothing.
var migrate = lint.Fix{Message: "replace the outfeeds, infeeds and tokens of old host calls by callbacks (passes.Migrate)", Migrate: true}
