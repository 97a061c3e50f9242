package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Block is a list of operations with arguments, in a region or detached. Two valid
// handles to the same block are ==.
type Block struct {
	life *lifetime
	raw  capi.MlirBlock
}

// NewBlock creates a detached block with arguments of the given types, all at one location.
func (c *Context) NewBlock(loc Location, arguments ...Type) Block {
	t := c.life.check("Context.NewBlock")
	at := loc.in(c, "Context.NewBlock")
	types := make([]capi.MlirType, len(arguments))
	locations := make([]capi.MlirLocation, len(arguments))
	for i, a := range arguments {
		types[i] = a.in(c, "Context.NewBlock")
		locations[i] = at
	}
	raw := capi.MlirBlockCreate(t, len(types), first(types), first(locations))
	c.newTop(capi.BlockKind, raw.Ptr)
	return c.block(raw)
}

// Equal reports whether b and other are the same block, as == does.
func (b Block) Equal(other Block) bool { return b == other }

// IsNil reports whether b is the zero Block.
func (b Block) IsNil() bool { return b.raw.Ptr == nil }

// Parent returns the operation that contains the block. It returns the nil Operation if the
// block is detached, or if its region is.
func (b Block) Parent() Operation {
	t := b.life.use("Block.Parent", b.raw.Ptr)
	return b.life.ctx.operation(capi.MlirBlockGetParentOperation(t, b.raw))
}

// NumArguments returns the number of the block's arguments.
func (b Block) NumArguments() int {
	return capi.MlirBlockGetNumArguments(b.life.use("Block.NumArguments", b.raw.Ptr), b.raw)
}

// Argument returns the i-th argument. It panics if i is out of range.
func (b Block) Argument(i int) Value {
	t := b.life.use("Block.Argument", b.raw.Ptr)
	inRange("Block.Argument", i, capi.MlirBlockGetNumArguments(t, b.raw))
	return b.life.ctx.value(capi.MlirBlockGetArgument(t, b.raw, i))
}

// Arguments returns an iterator over the arguments and their indices.
func (b Block) Arguments() iter.Seq2[int, Value] {
	return indexed(b.NumArguments(), b.Argument)
}

// ArgumentValues returns the arguments.
func (b Block) ArgumentValues() []Value { return listed(b.Arguments()) }

// Operations returns an iterator over the operations that are in the block when the
// iteration starts, in order. The loop may move and erase operations. Each operation is
// visited once, unless it was erased before its turn.
func (b Block) Operations() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		t := b.life.use("Block.Operations", b.raw.Ptr)
		// Listed at once: an operation that is moved forward would be visited again,
		// perhaps forever.
		raw := capi.Operations(t, b.raw)
		list := make([]Operation, len(raw))
		for i, op := range raw {
			list[i] = b.life.ctx.operation(op)
		}
		for _, op := range list {
			if !op.erased() && !yield(op) {
				return
			}
		}
	}
}

// Terminator returns the operation that ends the block, or the nil Operation if the block
// has no terminator. An sdy.return ends its block also in a context without that dialect.
func (b Block) Terminator() Operation {
	t := b.life.use("Block.Terminator", b.raw.Ptr)
	end := b.life.ctx.operation(capi.MlirBlockGetTerminator(t, b.raw))
	if ctx := b.life.ctx; !end.IsNil() || !ctx.allows && !ctx.shardy {
		return end
	}
	var last Operation
	for op := range b.Operations() {
		last = op
	}
	if !last.IsNil() && last.Name() == "sdy.return" {
		return last
	}
	return end
}

// Append adds a detached operation at the end of the block, which owns it from then on. It
// returns the operation.
func (b Block) Append(o Operation) Operation {
	t := b.life.use("Block.Append", b.raw.Ptr)
	b.adopt(o, "Block.Append")
	capi.MlirBlockAppendOwnedOperation(t, b.raw, o.raw)
	return o
}

// Insert inserts a detached operation at index i. It panics if i is greater than the number
// of operations. InsertBefore is faster if the next operation is known.
func (b Block) Insert(i int, o Operation) Operation {
	t := b.life.use("Block.Insert", b.raw.Ptr)
	n := 0
	for range b.Operations() {
		n++
	}
	inRange("Block.Insert", i, n+1)
	b.adopt(o, "Block.Insert")
	capi.MlirBlockInsertOwnedOperation(t, b.raw, i, o.raw)
	return o
}

// InsertBefore inserts a detached operation before another operation of this block.
func (b Block) InsertBefore(anchor, o Operation) Operation {
	t := b.life.use("Block.InsertBefore", b.raw.Ptr)
	b.owns(anchor, "Block.InsertBefore")
	b.adopt(o, "Block.InsertBefore")
	capi.MlirBlockInsertOwnedOperationBefore(t, b.raw, anchor.raw, o.raw)
	return o
}

// InsertAfter inserts a detached operation after another operation of this block.
func (b Block) InsertAfter(anchor, o Operation) Operation {
	t := b.life.use("Block.InsertAfter", b.raw.Ptr)
	b.owns(anchor, "Block.InsertAfter")
	b.adopt(o, "Block.InsertAfter")
	capi.MlirBlockInsertOwnedOperationAfter(t, b.raw, anchor.raw, o.raw)
	return o
}

// adopt makes an operation that is about to be added part of b's outermost object.
func (b Block) adopt(o Operation, method string) {
	c := b.life.ctx
	o.in(c, method)
	b.notPlaceholder(method)
	home := c.topOf(capi.BlockKind, b.raw.Ptr)
	t := c.joinable(capi.OperationKind, o.raw.Ptr, home, "an operation that is in a block already", method)
	c.calls.mayChange(c, capi.BlockKind, b.raw.Ptr)
	c.join(t, home)
	o.touch()
}

// notPlaceholder panics if b is a placeholder (see tops.go). A placeholder can be reached
// from the users of destroyed objects, and nothing can be added to it.
func (b Block) notPlaceholder(method string) {
	if c := b.life.ctx; c.placeholders > 0 && c.topOf(capi.BlockKind, b.raw.Ptr) == nil {
		panic("mlir: " + method + " called on a placeholder for a block that was destroyed")
	}
}

func (b Block) owns(anchor Operation, method string) {
	anchor.in(b.life.ctx, method)
	if capi.MlirOperationGetBlock(b.life.ctx.api, anchor.raw) != b.raw {
		panic("mlir: " + method + " was given an anchor in another block: use an operation of this block")
	}
}

// first returns a pointer to the first element, or nil if the slice is empty.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
