package chlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// guards returns guards against input that crashes the library: operands that are not
// tensors, which the inference of several operations does not check.
func guards() map[string]ods.Guard {
	all := map[string]ods.Guard{}
	for _, name := range operationNames {
		all[name] = tensors
	}
	return all
}

// tensors requires all operands to be tensors.
func tensors(s mlir.OperationState) error {
	for i, v := range s.Operands {
		if t := v.Type(); !t.IsRankedTensor() && t.Kind() != mlir.KindUnrankedTensor {
			return fmt.Errorf("operand %d must be a tensor, not %s", i, t)
		}
	}
	return nil
}
