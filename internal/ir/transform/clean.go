package transform

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
)

// IsPure reports whether an operation can be removed if nothing uses its results.
func IsPure(op mlir.Operation) bool {
	if op.NumRegions() == 0 {
		return isPure(op)
	}
	for inner := range op.All() {
		if !isPure(inner) {
			return false
		}
	}
	return true
}

func isPure(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.custom_call":
		return !callop.HasSideEffect(op)
	case "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "stablehlo.rng", "func.call":
		return false
	}
	return true
}

// IsUsed reports whether a result of an operation is used.
func IsUsed(op mlir.Operation) bool {
	for i := range op.NumResults() {
		if op.Result(i).HasUses() {
			return true
		}
	}
	return false
}

// IsControl reports whether an operation is a loop or a branch, whose regions use values from outside.
func IsControl(op mlir.Operation) bool {
	switch op.Name() {
	case "stablehlo.if", "stablehlo.case", "stablehlo.while":
		return true
	}
	return false
}

// Clean removes the operations of a block that nothing uses, and what nothing uses in its loops and
// branches.
func (e *Emitter) Clean(b mlir.Block) { e.Sweep(Operations(b)) }

// Sweep is Clean for operations that follow each other.
func (e *Emitter) Sweep(list []mlir.Operation) {
	for i := len(list) - 1; i >= 0; i-- {
		switch op := list[i]; {
		case !IsUsed(op) && IsPure(op):
			e.erase(op)
		case IsNested(op):
			e.Prune(op)
		}
	}
}

// erase removes an operation, and forgets it if it is a constant that may be used again.
func (e *Emitter) erase(op mlir.Operation) {
	for _, v := range op.Results() {
		if key, ok := e.keys[v]; ok {
			delete(e.constants, key)
			delete(e.keys, v)
		}
	}
	Check(op.Erase())
}

// IsNested reports whether an operation has regions with operations for arrays.
func IsNested(op mlir.Operation) bool {
	return op.NumRegions() > 0 && (IsControl(op) || op.Name() == callop.Manual)
}

// Prune removes the results that nothing uses from a loop, a branch or a manual computation, and what
// nothing uses in its regions.
func (e *Emitter) Prune(op mlir.Operation) {
	if op.Name() == callop.Manual {
		e.pruneManual(op)
		return
	}
	keep := uses(op.ResultValues())
	operands := op.OperandValues()
	blocks := []mlir.Block{}
	for _, r := range op.Regions() {
		blocks = append(blocks, r.First())
	}
	if op.Name() == "stablehlo.while" {
		keepCarried(op, keep)
		operands = Filter(operands, keep)
		body := blocks[1]
		body.Terminator().SetOperands(Filter(body.Terminator().OperandValues(), keep)...)
	} else {
		for _, b := range blocks {
			b.Terminator().SetOperands(Filter(b.Terminator().OperandValues(), keep)...)
		}
	}
	for _, b := range blocks {
		e.Clean(b)
		for i := b.NumArguments() - 1; i >= 0; i-- {
			if !keep[i] {
				Check(b.EraseArgument(i))
			}
		}
	}
	if !slices.Contains(keep, false) {
		return
	}
	made := e.Remake(op, operands, Filter(mlir.TypesOf(op.ResultValues()), keep))
	Replace(Filter(op.ResultValues(), keep), made.ResultValues())
	Check(op.Erase())
}

// keepCarried sets keep for the carried values of a loop that its condition, its effects or the values
// that are kept depend on.
func keepCarried(op mlir.Operation, keep []bool) {
	n := needs{}
	for i, v := range op.Results() {
		if keep[i] {
			n[v] = true
		}
	}
	n.loop(op)
	for i := range keep {
		keep[i] = n.carried(op, i)
	}
}

// needs is the set of values that some results, and effects, depend on.
type needs map[mlir.Value]bool

// block adds what the operations of a block need, of which the values that its terminator returns are in the set if
// they are needed.
func (n needs) block(b mlir.Block) {
	for _, op := range slices.Backward(Operations(b)) {
		n.operation(op)
	}
}

func (n needs) operation(op mlir.Operation) {
	if !slices.ContainsFunc(op.ResultValues(), func(v mlir.Value) bool { return n[v] }) && IsPure(op) {
		return
	}
	switch op.Name() {
	case "stablehlo.while":
		n.loop(op)
	case "stablehlo.if", "stablehlo.case":
		n[op.Operand(0)] = true
		for _, r := range op.Regions() {
			for i, v := range r.First().Terminator().Operands() {
				if n[op.Result(i)] {
					n[v] = true
				}
			}
			n.block(r.First())
		}
	default:
		for _, v := range Uses(op) {
			n[v] = true
		}
	}
}

func (n needs) loop(op mlir.Operation) {
	cond, body := op.Region(0).First(), op.Region(1).First()
	n[cond.Terminator().Operand(0)] = true
	for size := -1; size < len(n); {
		size = len(n)
		for i, v := range body.Terminator().Operands() {
			if n.carried(op, i) {
				n[v], n[op.Operand(i)] = true, true
			}
		}
		n.block(cond)
		n.block(body)
	}
}

// carried reports whether value i that a loop carries is needed.
func (n needs) carried(op mlir.Operation, i int) bool {
	return n[op.Result(i)] || n[op.Region(0).First().Argument(i)] || n[op.Region(1).First().Argument(i)]
}

// Uses returns the values from outside an operation that it and its regions use.
func Uses(op mlir.Operation) (list []mlir.Value) {
	if op.NumRegions() == 0 {
		return op.OperandValues()
	}
	seen := map[mlir.Value]bool{}
	for inner := range op.All() {
		for _, v := range inner.Operands() {
			if !seen[v] && !op.Encloses(v) {
				list = append(list, v)
			}
			seen[v] = true
		}
	}
	return list
}

// uses reports which values are used.
func uses(values []mlir.Value) []bool {
	used := make([]bool, len(values))
	for i, v := range values {
		used[i] = v.HasUses()
	}
	return used
}

// Filter returns the elements that are kept.
func Filter[T any](list []T, keep []bool) (kept []T) {
	for i, v := range list {
		if keep[i] {
			kept = append(kept, v)
		}
	}
	return kept
}
