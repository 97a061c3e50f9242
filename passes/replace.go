package passes

import (
	"fmt"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ReplaceCall replaces a custom call by a callback. If order is nil, the callback has the call form and all operands in
// their own order. Otherwise order has the numbers of the operands in the callback's order. The callback then has the
// passthrough form if the call has results and each is an operand, and else the call form, so that it must make the
// results. config states the callback. ReplaceCall sets its form, and keeps the sharding of the results.
func ReplaceCall(op mlir.Operation, order []int, config contract.Config) error {
	call, ok := stablehlo.AsCustomCall(op)
	if !ok {
		return fmt.Errorf("passes: %s is not a custom call", op.Name())
	}
	made := stablehlo.CustomCallOp{Results: call.Results, APIVersion: stablehlo.TypedFFI, HasSideEffect: true}
	config.Form = contract.Call
	if order == nil {
		order = rewrite.UpTo(len(call.Operands))
	} else if _, unfit := rewrite.PassthroughOrder(call); unfit == nil && len(call.Results) > 0 {
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
