package rules

import (
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Layouts reports every call of Go that asks for arrays in another layout than
// row-major.
var Layouts = &lint.Analyzer{
	Name: "layouts",
	Doc:  "a call of Go that asks for another layout than row-major hands over each value in the place of another",
	Run:  layouts,
}

func layouts(p *lint.Pass) error {
	for op := range p.Operations("stablehlo.custom_call") {
		if _, ours := callop.AsCall(op); !ours {
			continue
		}
		call, _ := stablehlo.AsCustomCall(op)
		if err := callop.CheckLayouts(call); err != nil {
			p.Report(op, mlir.SeverityError, "%v", err)
		}
	}
	return nil
}
