package rules

import "github.com/calliope-mlir/calliope/lint"

// All are the rules, in the order in which -list shows them.
func All() []*lint.Analyzer {
	return []*lint.Analyzer{CreateToken, Layouts, Outfeed}
}

// instead ends the messages about old host calls.
const instead = "use a stablehlo.custom_call with api_version = 4 instead, in the observe or the passthrough form"
