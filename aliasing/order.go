package aliasing

import "github.com/calliope-mlir/calliope/mlir"

// neededAfter finds an operation, other than user, that uses v and that need not run before
// user.
func neededAfter(user mlir.Operation, v mlir.Value) (mlir.Operation, bool) {
	for use := range v.Uses() {
		if use.Owner.Equal(user) {
			continue
		}
		// Compare them in the innermost block that contains both.
		a, b, ok := inOneBlock(use.Owner, user)
		if !ok {
			return use.Owner, true
		}
		if a.Equal(b) {
			continue // in two branches of it, of which one runs
		}
		if a.NumResults() == 0 && isTerminator(a) || !dependsOn(b, a) {
			return use.Owner, true
		}
	}
	return mlir.Operation{}, false
}

func isTerminator(op mlir.Operation) bool {
	end := op.Block().Terminator()
	return !end.IsNil() && end.Equal(op)
}

// inOneBlock returns a and b, or the operations that contain them, in the innermost block
// that contains both.
func inOneBlock(a, b mlir.Operation) (mlir.Operation, mlir.Operation, bool) {
	for x := a; !x.IsNil(); x = x.Parent() {
		for y := b; !y.IsNil(); y = y.Parent() {
			if x.Equal(y) && !x.Equal(a) && !y.Equal(b) {
				return x, y, true // two regions of one operation
			}
			if !x.Block().IsNil() && !y.Block().IsNil() && x.Block().Equal(y.Block()) {
				return x, y, true
			}
		}
	}
	return a, b, false
}

// dependsOn reports whether op uses a result of earlier, directly or through other
// operations. Both are in the same block. XLA then runs earlier first.
func dependsOn(op, earlier mlir.Operation) bool {
	block := earlier.Block()
	seen := map[uint64]bool{}
	queue := []mlir.Operation{op}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if at.Equal(earlier) {
			return true
		}
		if seen[at.Hash()] {
			continue
		}
		seen[at.Hash()] = true
		for inner := range at.All() { // itself, and the operations inside of it
			for _, v := range inner.Operands() {
				if v.IsResult() && v.Owner().Block().Equal(block) {
					queue = append(queue, v.Owner())
				}
			}
		}
	}
	return false
}
