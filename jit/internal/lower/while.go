package lower

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// lowerWhile makes a while a loop of scf that carries tensors in one buffer each, and scalars in none. What the body
// returns as it got it is not carried.
func lowerWhile(e *emitter) error {
	l := loop{emitter: e, condition: e.op.Region(0).First(), body: e.op.Region(1).First(), values: e.operands()}
	// Tensors are first, because MLIR drops scalars out of the middle, but can bufferize only tensors that keep their
	// place.
	for _, scalars := range []bool{false, true} {
		for i, v := range l.values {
			changes := !l.body.Terminator().Operand(i).Equal(l.body.Argument(i))
			if isScalar(v.Type()) == scalars && changes {
				l.carried = append(l.carried, i)
			}
		}
	}
	initial := each(l.carried, func(i int) mlir.Value { return e.unpack(e.owned(i)) })
	results := scf.While(e.Builder, initial,
		func(carried []mlir.Value) (mlir.Value, []mlir.Value) {
			return e.unpack(e.take(l.condition, l.all(carried))[0]), carried
		}, l.next)
	return e.replace(l.all(results))
}

type loop struct {
	*emitter
	condition, body mlir.Block
	values          []mlir.Value // before the first iteration
	carried         []int        // which of them change
}

// all returns the values of an iteration.
func (l *loop) all(carried []mlir.Value) []mlir.Value {
	all := slices.Clone(l.values)
	for k, i := range l.carried {
		all[i] = l.pack(carried[k])
	}
	return all
}

// next builds the body, and returns the values that the next iteration gets.
func (l *loop) next(carried []mlir.Value) []mlir.Value {
	all := l.take(l.body, l.all(carried))
	next := each(l.carried, func(i int) mlir.Value { return all[i] })
	for k, v := range next {
		if next[k] = l.unpack(v); l.Err() == nil && (l.copies || !inPlace(v, carried[k])) {
			next[k] = l.unpack(l.unshared(v, k, carried))
		}
	}
	for k, v := range next {
		if l.Err() == nil && (l.copies || !inPlace(v, carried[k])) {
			next[k] = l.store(v, carried[k])
		}
	}
	return next
}

// inPlace reports whether v is a carried value after updates of it that can be made in its buffer, because nothing uses
// what they overwrite. It moves the updates to where v is needed first.
func inPlace(v, carried mlir.Value) bool {
	for !v.Equal(carried) {
		if v.IsArgument() {
			return false
		}
		update := v.Owner()
		if update.Name() == "scf.if" {
			before, ok := keptByIf(update, v.Index())
			if !ok {
				return false
			}
			v = before
			continue
		}
		i, ok := updated(update, v)
		if !ok {
			return false
		}
		sink(update)
		v = update.Operand(i)
		if usedLater(v, update, i) {
			return false
		}
	}
	return true
}

// keptByIf returns the value from before a scf.if that one of its branches returns as a result, and the other one
// returns too, or updates in place.
func keptByIf(op mlir.Operation, result int) (mlir.Value, bool) {
	a, b := op.Region(0).First().Terminator().Operand(result), op.Region(1).First().Terminator().Operand(result)
	if isWithin(b, op) {
		a, b = b, a
	}
	return b, !isWithin(b, op) && inPlace(a, b)
}

// isWithin reports whether a value is defined in a region of an operation.
func isWithin(v mlir.Value, op mlir.Operation) bool {
	block := v.Block()
	if v.IsResult() {
		block = v.Owner().Block()
	}
	for at := block.Parent(); !at.IsNil(); at = at.Parent() {
		if at.Equal(op) {
			return true
		}
	}
	return false
}

// updated returns which operand is the one that a result is made of in place.
func updated(op mlir.Operation, result mlir.Value) (operand int, ok bool) {
	switch op.Name() {
	case "stablehlo.dynamic_update_slice", "builtin.unrealized_conversion_cast":
		return 0, true
	case "tensor.insert":
		return 1, true
	case "scf.while":
		return result.Index(), true
	case "scf.for":
		return 3 + result.Index(), true // after the bounds and the step
	}
	return 0, false
}

// sink moves an operation without regions to the first one that uses a result of it, or to the end of its block.
func sink(op mlir.Operation) {
	if op.NumRegions() > 0 {
		return
	}
	var first mlir.Operation
	for _, r := range op.Results() {
		for use := range r.Uses() {
			user := within(use.Owner, op.Block())
			if first.IsNil() || user.IsBefore(first) {
				first = user
			}
		}
	}
	if !first.IsNil() {
		op.MoveBefore(first)
		return
	}
	last := op
	for next := op; !next.IsNil(); next = next.Next() {
		last = next
	}
	if !last.Equal(op) {
		op.MoveAfter(last)
	}
}

// within returns the operation of a block that is op or contains it, or the nil Operation.
func within(op mlir.Operation, block mlir.Block) mlir.Operation {
	for !op.IsNil() && !op.Block().Equal(block) {
		op = op.Parent()
	}
	return op
}

// unshared returns a copy of v, which is stored in the buffer of carried[i], if v may be in the buffer of another
// carried value, which could be overwritten first.
func (l *loop) unshared(v mlir.Value, i int, carried []mlir.Value) mlir.Value {
	if l.Err() != nil || isScalar(v.Type()) {
		return v
	}
	visited := map[mlir.Value]bool{}
	var shared func(v mlir.Value) bool
	shared = func(v mlir.Value) bool {
		if visited[v] || !v.Type().IsRankedTensor() {
			return false
		}
		visited[v] = true
		if v.IsArgument() {
			for j, c := range carried {
				if j != i && c.Equal(v) {
					return true
				}
			}
			return false
		}
		owner := v.Owner()
		if isFresh(owner.Name()) {
			return false
		}
		for _, operand := range owner.Operands() {
			if shared(operand) {
				return true
			}
		}
		return false
	}
	if l.copies || shared(v) {
		return l.copy(v)
	}
	return v
}

// isFresh reports whether an operation makes results that do not share the buffer of an operand.
func isFresh(name string) bool {
	if !strings.HasPrefix(name, "stablehlo.") {
		return name == "bufferization.alloc_tensor"
	}
	switch strings.TrimPrefix(name, "stablehlo.") {
	case "bitcast_convert", "broadcast_in_dim", "convert", "concatenate", "custom_call", "dynamic_slice",
		"dynamic_update_slice", "optimization_barrier", "pad", "real_dynamic_slice", "reshape", "slice", "transpose":
		return false
	}
	return true
}
