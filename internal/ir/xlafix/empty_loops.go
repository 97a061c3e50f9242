package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// RemoveEmptyLoops removes the loops that run zero times, if constants say so. XLA's compiler
// ends the process on some of them: on those with side effects that alone use the results of an earlier
// loop without. RemoveEmptyLoops returns the number of loops that it removed.
func RemoveEmptyLoops(m *mlir.Module) (int, error) {
	list, functions := function.Defined(m)
	empty := emptyLoops(list, &sideEffects{functions: functions, state: map[string]reading{}})
	for _, op := range empty {
		for i, v := range op.Operands() {
			op.Result(i).ReplaceAllUses(v)
		}
		if err := op.Erase(); err != nil {
			return 0, err
		}
	}
	return len(empty), nil
}

// emptyLoops returns the loops that run zero times, without those in them.
func emptyLoops(list []mlir.Operation, r *sideEffects) (empty []mlir.Operation) {
	for _, f := range list {
		f.Walk(func(op mlir.Operation) mlir.WalkAction {
			if op.Name() != "stablehlo.while" || !r.runsZeroTimes(op) {
				return mlir.WalkContinue
			}
			empty = append(empty, op)
			return mlir.WalkSkip
		})
	}
	return empty
}

// runsZeroTimes reports whether the condition of a loop is false at first, and has no side effects.
func (r *sideEffects) runsZeroTimes(loop mlir.Operation) bool {
	test := loop.Region(0).First()
	end := test.Terminator()
	if end.IsNil() || end.NumOperands() != 1 {
		return false
	}
	if taken, ok := firstValue(end.Operand(0), loop); !ok || taken != 0 {
		return false
	}
	for op := range test.Operations() {
		if r.hasEffects(op) {
			return false
		}
	}
	return true
}

// firstValue returns what an integer scalar is before the first iteration of a loop, if it consists of
// constants and comparisons. True is 1.
func firstValue(v mlir.Value, loop mlir.Operation) (int64, bool) {
	if v.IsArgument() {
		if !v.Block().Equal(loop.Region(0).First()) {
			return 0, false
		}
		v = loop.Operand(v.Index())
	}
	if n, ok := rewrite.ConstantOf(v); ok || v.IsArgument() {
		return n, ok
	}
	c, ok := stablehlo.AsCompare(v.Owner())
	if !ok {
		return 0, false
	}
	left, known := firstValue(c.LHS, loop)
	right, alsoKnown := firstValue(c.RHS, loop)
	// they may be unsigned
	if !known || !alsoKnown || c.CompareType != stablehlo.CompareSigned && (left < 0 || right < 0) {
		return 0, false
	}
	holds := map[stablehlo.ComparisonDirection]bool{
		stablehlo.CompareEQ: left == right, stablehlo.CompareNE: left != right, stablehlo.CompareLT: left < right,
		stablehlo.CompareLE: left <= right, stablehlo.CompareGT: left > right, stablehlo.CompareGE: left >= right,
	}
	if holds[c.ComparisonDirection] {
		return 1, true
	}
	return 0, true
}
