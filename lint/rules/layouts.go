package rules

import (
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Layouts reports every call of a Go function with a layout other than row-major.
var Layouts = &lint.Analyzer{
	Name: "layouts",
	Doc:  "a call of a Go function with a layout other than row-major passes values in the wrong order",
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
