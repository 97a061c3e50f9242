package chlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// guards returns guards against input that crashes the library: operands that are not
// tensors, which the inference of several operations does not check, and negative
// broadcast dimensions, in a release newer than the pinned one.
func guards() map[string]ods.Guard {
	all := map[string]ods.Guard{}
	for _, name := range operationNames {
		all[name] = ods.All(tensors, dimensions)
	}
	return all
}

// dimensions requires broadcast dimensions that are not negative.
func dimensions(s mlir.OperationState) error {
	for _, a := range s.Attributes {
		if a.Name != "broadcast_dimensions" {
			continue
		}
		list, _ := a.Value.Int64s()
		for _, d := range list {
			if d < 0 {
				return fmt.Errorf("broadcast dimension %d must not be negative", d)
			}
		}
	}
	return nil
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
