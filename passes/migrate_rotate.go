package passes

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// rotateIn rotates the loops of a function that have waiting callbacks in their conditions, the
// inner loops first.
func (t *threader) rotateIn(f mlir.Operation) error {
	var loops []mlir.Operation
	f.WalkPostOrder(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() == "stablehlo.while" && t.contains[op] {
			loops = append(loops, op)
		}
		return mlir.WalkContinue
	})
	for _, loop := range loops {
		if t.inCondition(loop) {
			if err := rotate(loop); err != nil {
				return err
			}
		}
	}
	return nil
}

// inCondition reports whether a waiting callback is in the condition of a loop, or in a function
// that it calls.
func (t *threader) inCondition(loop mlir.Operation) bool {
	return t.holdsWaiting(loop.Region(0).First())
}

func (t *threader) holdsWaiting(block mlir.Block) bool {
	for op := range block.Operations() {
		if name, isCall := function.Callee(op); isWaiting(op) || isCall && t.carries[name] {
			return true
		}
		if !callop.CanHold(op) {
			continue
		}
		for _, region := range op.Regions() {
			if t.holdsWaiting(region.First()) {
				return true
			}
		}
	}
	return false
}

// rotate evaluates the condition of a loop before the loop and at the end of its body. The loop
// carries the value of the condition. A condition cannot return a token, and these can.
func rotate(loop mlir.Operation) error {
	cond, body := loop.Region(0).First(), loop.Region(1).First()
	end := body.Terminator()
	ops := slices.Collect(cond.Operations())
	returned := ops[len(ops)-1]
	copyTo := func(before mlir.Operation, values []mlir.Value) mlir.Value {
		var copies mlir.Mapping
		for i, v := range cond.Arguments() {
			copies.Map(v, values[i])
		}
		for _, op := range ops[:len(ops)-1] {
			before.Block().InsertBefore(before, op.CloneWith(&copies))
		}
		if v, ok := copies.Value(returned.Operand(0)); ok {
			return v
		}
		return returned.Operand(0) // from outside the loop
	}
	again := copyTo(end, end.OperandValues())
	first := copyTo(loop, loop.OperandValues())
	end.SetOperands(append(end.OperandValues(), again)...)
	of := returned.Operand(0).Type()
	body.AddArgument(of, loop.Location())
	returned.SetOperands(cond.AddArgument(of, loop.Location()))
	for _, op := range slices.Backward(ops[:len(ops)-1]) {
		if err := op.Erase(); err != nil {
			return err
		}
	}
	_, err := rewrite.Extended(loop, first, of)
	return err
}
