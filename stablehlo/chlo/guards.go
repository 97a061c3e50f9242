package chlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// guards refuse what makes the library crash: operands that are no tensors, which the
// inference of several operations takes for tensors without looking, and, in a newer
// release than the pinned one, negative dimensions to broadcast along.
func guards() map[string]ods.Guard {
	all := map[string]ods.Guard{}
	for _, name := range operationNames {
		all[name] = ods.All(tensors, dimensions)
	}
	return all
}

func dimensions(s mlir.OperationState) error {
	for _, a := range s.Attributes {
		if a.Name != "broadcast_dimensions" {
			continue
		}
		list, _ := a.Value.Int64s()
		for _, d := range list {
			if d < 0 {
				return fmt.Errorf("there is no dimension %d to broadcast along", d)
			}
		}
	}
	return nil
}

func tensors(s mlir.OperationState) error {
	for i, v := range s.Operands {
		if t := v.Type(); !t.IsRankedTensor() && t.Kind() != mlir.KindUnrankedTensor {
			return fmt.Errorf("operand %d is a tensor, not %s", i, t)
		}
	}
	return nil
}
