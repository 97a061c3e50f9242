package chlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// guards refuse operands that are no tensors: the inference of several operations takes
// them for tensors without looking, and crashes.
func guards() map[string]ods.Guard {
	all := map[string]ods.Guard{}
	for _, name := range operationNames {
		all[name] = tensors
	}
	return all
}

func tensors(s mlir.OperationState) error {
	for i, v := range s.Operands {
		if t := v.Type(); !t.IsRankedTensor() && t.Kind() != mlir.KindUnrankedTensor {
			return fmt.Errorf("operand %d is a tensor, not %s", i, t)
		}
	}
	return nil
}
