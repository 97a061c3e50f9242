package stages

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// separate gives the results of inline passthrough callbacks in branches memory of their own. If such a result shares the
// memory of a value from before the branch, and a stage has only that value as its result, XLA drops the copy that the
// callback would have to write to. Stages have few results, so this is more frequent in them than in whole modules.
func (s *Stage) separate() {
	for call := range callop.Calls(s.module) {
		if call.Err == nil && call.Config.Form == contract.Passthrough && inBranch(call.Op) {
			call.Op.SetAttribute("output_operand_aliases", s.module.Context().ArrayAttribute())
		}
	}
}

func inBranch(op mlir.Operation) bool {
	for around := op.Parent(); !around.IsNil(); around = around.Parent() {
		if name := around.Name(); name == "stablehlo.if" || name == "stablehlo.case" {
			return true
		}
	}
	return false
}
