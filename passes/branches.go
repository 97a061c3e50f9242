package passes

import (
	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// CopyInBranches gives the results of callbacks memory of their own where XLA would otherwise let
// them overwrite a value that is still needed; see callop.Branches. It returns the number of calls
// that it changed. Their operands are copied when they are made.
//
// Package builder calls CopyInBranches for the modules that it makes.
func CopyInBranches(m *mlir.Module) (int, error) {
	var branches *callop.Branches
	n := 0
	for call := range callop.Calls(m) {
		if call.Err != nil || call.Config.Form != contract.Passthrough || call.Config.Encoding != contract.EncodingDictionary {
			continue // other hosts may not copy
		}
		if list, ok := aliasing.Read(call.Op); !ok || len(list) == 0 {
			continue
		}
		if branches == nil {
			branches = callop.NewBranches(m)
		}
		if branches.Overwrite(call.Op) {
			call.Op.SetAttribute("output_operand_aliases", m.Context().ArrayAttribute())
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, m.Verify()
}
