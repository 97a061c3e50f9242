package callop

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// Branches finds the calls in branches that overwrite a value that is still needed, because of a
// defect of XLA's CPU compiler. If a computation returns one array, which it computes before an if or a case,
// XLA drops the copy for a call in a branch that shares the memory of this array with its result. The
// computation then returns what the call wrote. A computation is main or a branch, with the
// functions that it calls. The CPU plugins that package native fetches have it.
type Branches struct {
	callers map[string][]mlir.Operation // by function
}

// NewBranches returns the branches of a module, which must not change while they are used.
func NewBranches(m *mlir.Module) *Branches {
	b := &Branches{callers: map[string][]mlir.Operation{}}
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if name, ok := function.Callee(op); ok {
			b.callers[name] = append(b.callers[name], op)
		}
		return mlir.WalkContinue
	})
	return b
}

// Overwrite reports whether a call whose results are in the memory of its operands can change what
// a computation around it returns.
func (b *Branches) Overwrite(call mlir.Operation) bool { return b.overwrite(call, false, nil) }

// overwrite does that for an operation. inBranch is true if it is in a branch already. through are the
// functions on the way to it.
func (b *Branches) overwrite(op mlir.Operation, inBranch bool, through []mlir.Operation) bool {
	for ; ; op = op.Parent() {
		if inBranch && returnsOther(op) {
			return true
		}
		around := op.Parent()
		switch around.Name() {
		case "stablehlo.if", "stablehlo.case":
			inBranch = true
		case "func.func":
			if slices.Contains(through, around) {
				return false // it calls itself, which no compiler takes
			}
			name, _ := around.Symbol()
			for _, caller := range b.callers[name] {
				if b.overwrite(caller, inBranch, append(through[:len(through):len(through)], around)) {
					return true
				}
			}
			return false
		default:
			return false // XLA copies what a loop carries
		}
	}
}

// returnsOther reports whether the block of an operation returns one value, which does not depend on the operation.
func returnsOther(op mlir.Operation) bool {
	end := op.Block().Terminator()
	return end.NumOperands() == 1 && !dependsOn(end.Operand(0), op)
}

// dependsOn reports whether a value of the operation's block is computed from its results.
func dependsOn(v mlir.Value, op mlir.Operation) bool {
	block := op.Block()
	seen := map[mlir.Operation]bool{}
	var visit func(mlir.Value) bool
	visit = func(v mlir.Value) bool {
		if v.IsArgument() {
			return false
		}
		owner := v.Owner()
		if owner == op {
			return true
		}
		if owner.Block() != block || seen[owner] || owner.IsBefore(op) {
			return false
		}
		seen[owner] = true
		found := false
		owner.Walk(func(inner mlir.Operation) mlir.WalkAction {
			for _, used := range inner.Operands() {
				if found = visit(used); found {
					return mlir.WalkStop
				}
			}
			return mlir.WalkContinue
		})
		return found
	}
	return visit(v)
}
