package rules

import (
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
)

// Layouts reports every call of a Go function with a layout other than row-major.
var Layouts = &lint.Analyzer{
	Name: "layouts",
	Doc:  "a call of a Go function with a layout other than row-major passes values in the wrong order",
	Run:  layouts,
	Details: `Severity: error.

A callback gets an array without its layout, and reads and writes it in row-major order. With another layout in
operand_layouts or result_layouts, it gets and returns values in the wrong places, and nothing fails.

    operand_layouts = [dense<[0, 1]> : tensor<2xindex>]   // column-major; row-major is [1, 0]

Leave the layouts out, or transpose in the module. An order that differs only in dimensions of size 1 is row-major.
There is no safe repair.`,
}

func layouts(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		if !c.ours {
			continue
		}
		if err := callop.CheckLayouts(c.CustomCallOp); err != nil {
			p.Report(c.op, finding.Error, "%v", err)
		}
	}
	return nil
}
