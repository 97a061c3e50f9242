package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// KeepConditions makes XLA evaluate the conditions of loops that have side effects. If XLA knows how often a loop runs,
// it runs the body so often and never evaluates the condition, so that callbacks in it are not called.
// KeepConditions adds to such a condition what XLA cannot know. It returns the number of loops that it changed.
func KeepConditions(m *mlir.Module) (int, error) {
	loops := droppedConditions(m)
	for _, op := range loops {
		end := op.Region(0).First().Terminator()
		e := before(end)
		kept := stablehlo.And(e.Builder, end.Operand(0), e.certain(end.Operand(0)))
		if e.Cause() != nil {
			return 0, e.Cause()
		}
		end.SetOperand(0, kept)
	}
	return len(loops), nil
}

// droppedConditions returns the loops whose conditions XLA may not evaluate.
func droppedConditions(m *mlir.Module) (loops []mlir.Operation) {
	list, functions := function.Defined(m)
	r := &sideEffects{functions: functions, state: map[string]reading{}}
	for _, f := range list {
		f.Walk(func(op mlir.Operation) mlir.WalkAction {
			if op.Name() == "stablehlo.while" && r.dropsCondition(op) {
				loops = append(loops, op)
			}
			return mlir.WalkContinue
		})
	}
	return loops
}

// dropsCondition reports whether XLA may not evaluate the condition of a loop though it has side effects.
func (r *sideEffects) dropsCondition(loop mlir.Operation) bool {
	test := loop.Region(0).First()
	end := test.Terminator()
	if end.IsNil() || end.NumOperands() != 1 {
		return false
	}
	if v := end.Operand(0); v.IsResult() && v.Owner().Name() == "stablehlo.and" &&
		kept.IsCertain(v.Owner().Operand(1)) {
		return false
	}
	for op := range test.Operations() {
		if r.hasEffects(op) {
			return true
		}
	}
	return false
}
