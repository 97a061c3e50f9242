package rewrite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/stablehlo"
)

// PassthroughOrder returns the operands of a custom call in the order of a passthrough callback
// that replaces it: first, for each result, the operand that it is aliased to or, without
// aliases, the operand with the same index, then the others. If the call cannot pass its
// operands through, it returns the call's own order and an error with the reason.
func PassthroughOrder(call stablehlo.CustomCallOp) (order []int, err error) {
	all := UpTo(len(call.Operands))
	for i, operand := range call.Operands {
		if t := operand.Type(); !t.IsRankedTensor() {
			err = fmt.Errorf("operand %d is %s, not an array", i, t)
		}
	}
	if err != nil || len(call.Results) == 0 {
		return all, err
	}
	unlike := errors.New("its results are not of the types of its operands")
	switch {
	case len(call.Aliases) == len(call.Results):
		order = slices.Repeat([]int{-1}, len(call.Results))
		for _, alias := range call.Aliases {
			result := 0
			if len(alias.OutputTupleIndices) == 1 {
				result = int(alias.OutputTupleIndices[0])
			}
			order[result] = int(alias.OperandIndex)
		}
	case len(all) == len(call.Results):
		order = slices.Clone(all)
	default:
		return all, unlike
	}
	for result, operand := range order {
		if operand < 0 || slices.Contains(order[:result], operand) ||
			!call.Results[result].Equal(call.Operands[operand].Type()) {
			return all, unlike
		}
	}
	for _, i := range all {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order, nil
}
