package passes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// PassthroughOrder returns the operands of a custom call in the order of a passthrough callback
// that replaces it: first, for each result, the operand that it is aliased to or, without
// aliases, the operand with the same index, then the others. If the call cannot pass its
// operands through, it returns the call's own order and an error with the reason.
func PassthroughOrder(call stablehlo.CustomCallOp) (order []int, err error) {
	all := rewrite.UpTo(len(call.Operands))
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

// ReplaceCall replaces a custom call by a callback, with the operands in the order of
// PassthroughOrder. The callback has the passthrough form if the call has results and each is an
// operand, and otherwise the call form, so that the callback must make the results. If order is nil,
// it has the call form and all operands in their own order. config states the callback. ReplaceCall
// sets its form, and keeps the sharding of the results.
func ReplaceCall(op mlir.Operation, order []int, config contract.Config) error {
	call, ok := stablehlo.AsCustomCall(op)
	if !ok {
		return fmt.Errorf("passes: %s is not a custom call", op.Name())
	}
	made := stablehlo.CustomCallOp{Results: call.Results, APIVersion: stablehlo.TypedFFI, HasSideEffect: true}
	config.Form = contract.Call
	if order == nil {
		order = rewrite.UpTo(len(call.Operands))
	} else if _, unfit := PassthroughOrder(call); unfit == nil && len(call.Results) > 0 {
		config.Form = contract.Passthrough
		made.Results = nil // one for each operand; those after the call's own have no uses
		for _, i := range order {
			made.Results = append(made.Results, call.Operands[i].Type())
		}
		made.Aliases = aliasing.Passthrough(len(order))
	}
	for _, i := range order {
		made.Operands = append(made.Operands, call.Operands[i])
	}
	made.Target = config.Form.Target()
	var err error
	if made.BackendConfig, err = callop.ConfigAttribute(op.Context(), config); err != nil {
		return err
	}
	e := rewrite.Before(op)
	replacement := made.Create(e.Builder)
	if e.Cause() != nil {
		return e.Cause()
	}
	if replacement.NumResults() == op.NumResults() {
		rewrite.KeepSharding(op, replacement) // the device that calls, among others
	}
	for i, result := range op.Results() {
		result.ReplaceAllUses(replacement.Result(i))
	}
	return op.Erase()
}
