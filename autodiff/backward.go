package autodiff

import (
	"github.com/calliope-mlir/calliope/mlir"
)

// backward transposes the linear operations of a function, and removes them. It creates the operations
// of the transpose before emitter.before, which may be in another block than those that it transposes.
type backward struct {
	*emitter
	source     *emitter // of the function that is transposed
	linear     reach
	cotangents map[mlir.Value]mlir.Value // those that are not zero
	reached    []located                 // the values with a cotangent, in the order in which they got it
	*settings
}

// located is a value with the block that it is defined in, which the value cannot tell any more once its
// operation is erased.
type located struct {
	value mlir.Value
	home  mlir.Block
}

// within returns a backward that creates operations before another one, with cotangents of its own.
func (b *backward) within(before mlir.Operation) *backward {
	return &backward{
		emitter: &emitter{b.emitter.Within(before)}, source: b.source, linear: b.linear,
		cotangents: map[mlir.Value]mlir.Value{}, settings: b.settings,
	}
}

// add adds to the cotangent of a value that is linear.
func (b *backward) add(v, cotangent mlir.Value) {
	if !b.linear[v] || cotangent.IsNil() {
		return
	}
	if b.cotangents[v].IsNil() {
		b.reached = append(b.reached, located{v, home(v)})
	}
	b.cotangents[v] = b.emitter.add(b.cotangents[v], cotangent)
}

// cotangent returns the cotangent of the first result of an operation.
func (b *backward) cotangent(op mlir.Operation) mlir.Value { return b.cotangents[op.Result(0)] }

// outside returns the values with a cotangent that are not defined in a block.
func (b *backward) outside(in mlir.Block) (list []mlir.Value) {
	for _, v := range b.reached {
		if v.home != in {
			list = append(list, v.value)
		}
	}
	return list
}

// block transposes the operations of a block, from the last to the first. The terminator must not use
// linear values any more.
func (b *backward) block(in mlir.Block) {
	list := operations(in)
	for i := len(list) - 1; i >= 0; i-- {
		op := list[i]
		linear, reached := false, false
		for i := range op.NumResults() {
			v := op.Result(i)
			linear = linear || b.linear[v]
			reached = reached || !b.cotangents[v].IsNil()
		}
		if !linear {
			continue
		}
		b.Loc = op.Location()
		switch transpose := rules[op.Name()].transpose; {
		case isNested(op) && reached:
			transpose(b, op) // and replaces the operation by what is not linear in it
			continue
		case isNested(op):
			b.Prune(op)
			continue
		case reached && transpose == nil:
			fail(op, "it cannot be transposed, because it is not linear in an operand with a tangent")
		case reached:
			transpose(b, op)
		}
		check(op.Erase())
	}
}

// residuals returns the values of one block that the operations of another one use, in the order of
// their first use.
func residuals(from, to mlir.Block) (list []mlir.Value) {
	seen := map[mlir.Value]bool{}
	for op := range to.Operations() {
		for inner := range op.All() {
			for _, v := range inner.Operands() {
				if home(v) == from && !seen[v] {
					seen[v] = true
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// replaceIn replaces a value in the operations of a block and in their regions.
func replaceIn(in mlir.Block, v, with mlir.Value) {
	v.ReplaceUsesIf(with, func(u mlir.Use) bool {
		for op := u.Owner; !op.IsNil() && !op.Block().IsNil(); op = op.Parent() {
			if op.Block() == in {
				return true
			}
		}
		return false
	})
}

// hold replaces values in a block by arguments that stand for them until it is known what they are.
func hold(in mlir.Block, values []mlir.Value) (held []mlir.Value) {
	for _, v := range values {
		argument := in.AddArgument(v.Type(), in.Terminator().Location())
		replaceIn(in, v, argument)
		held = append(held, argument)
	}
	return held
}

// release replaces arguments that hold added by values, and removes them.
func release(in mlir.Block, held, with []mlir.Value) {
	for i, v := range held {
		v.ReplaceAllUses(with[i])
		check(in.EraseArgument(v.Index()))
	}
}
