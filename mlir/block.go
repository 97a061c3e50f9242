package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Block is a list of operations with arguments, part of a region or detached. Two that can
// be used are == if they are the same one.
type Block struct {
	life *lifetime
	raw  capi.MlirBlock
}

// NewBlock makes a detached block with arguments of the given types, all at one
// location.
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

// Equal reports whether both are the same one, as == does.
func (b Block) Equal(other Block) bool { return b == other }

// IsNil reports whether b is the zero Block.
func (b Block) IsNil() bool { return b.raw.Ptr == nil }

// Parent is the operation whose region holds the block, nil for a detached one.
func (b Block) Parent() Operation {
	t := b.life.use("Block.Parent", b.raw.Ptr)
	return b.life.ctx.operation(capi.MlirBlockGetParentOperation(t, b.raw))
}

// NumArguments is the number of the block's arguments.
func (b Block) NumArguments() int {
	return capi.MlirBlockGetNumArguments(b.life.use("Block.NumArguments", b.raw.Ptr), b.raw)
}

// Argument is the i-th argument. It panics where there is none.
func (b Block) Argument(i int) Value {
	t := b.life.use("Block.Argument", b.raw.Ptr)
	inRange("Block.Argument", i, capi.MlirBlockGetNumArguments(t, b.raw))
	return b.life.ctx.value(capi.MlirBlockGetArgument(t, b.raw, i))
}

// Arguments iterates over the arguments.
func (b Block) Arguments() iter.Seq2[int, Value] {
	return indexed(b.NumArguments(), b.Argument)
}

// Operations iterates over the operations that stand in the block when it begins, in
// order. They may be moved and erased while iterating: each is visited once, and not what
// was erased before its turn.
func (b Block) Operations() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		t := b.life.use("Block.Operations", b.raw.Ptr)
		// Listed at once: what is moved forward would come again, and might for ever.
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

// Terminator is the operation that ends the block, nil where there is none yet.
func (b Block) Terminator() Operation {
	t := b.life.use("Block.Terminator", b.raw.Ptr)
	return b.life.ctx.operation(capi.MlirBlockGetTerminator(t, b.raw))
}

// Append adds a detached operation at the end; the block owns it from then on. It
// returns the operation.
func (b Block) Append(o Operation) Operation {
	t := b.life.use("Block.Append", b.raw.Ptr)
	b.adopt(o, "Block.Append")
	capi.MlirBlockAppendOwnedOperation(t, b.raw, o.raw)
	return o
}

// Insert adds a detached operation as the i-th one. It panics where i is greater than
// the number of operations. Where one has the neighbour, InsertBefore is faster.
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

// InsertBefore adds a detached operation before another one of this block.
func (b Block) InsertBefore(anchor, o Operation) Operation {
	t := b.life.use("Block.InsertBefore", b.raw.Ptr)
	b.owns(anchor, "Block.InsertBefore")
	b.adopt(o, "Block.InsertBefore")
	capi.MlirBlockInsertOwnedOperationBefore(t, b.raw, anchor.raw, o.raw)
	return o
}

// InsertAfter adds a detached operation after another one of this block.
func (b Block) InsertAfter(anchor, o Operation) Operation {
	t := b.life.use("Block.InsertAfter", b.raw.Ptr)
	b.owns(anchor, "Block.InsertAfter")
	b.adopt(o, "Block.InsertAfter")
	capi.MlirBlockInsertOwnedOperationAfter(t, b.raw, anchor.raw, o.raw)
	return o
}

// adopt makes an operation that is about to be added a part of what b is in.
func (b Block) adopt(o Operation, method string) {
	c := b.life.ctx
	o.in(c, method)
	b.notPlaceholder(method)
	home := c.topOf(capi.BlockKind, b.raw.Ptr)
	t := c.joinable(capi.OperationKind, o.raw.Ptr, home, "an operation that stands in a block already", method)
	c.calls.mayChange(c, capi.BlockKind, b.raw.Ptr)
	c.join(t, home)
	o.touch()
}

// notPlaceholder panics for a placeholder (see tops.go), which is reached from what was cut
// off and can take nothing.
func (b Block) notPlaceholder(method string) {
	if c := b.life.ctx; c.placeholders > 0 && c.topOf(capi.BlockKind, b.raw.Ptr) == nil {
		panic("mlir: " + method + " called on a block that only replaces one that is gone")
	}
}

func (b Block) owns(anchor Operation, method string) {
	anchor.in(b.life.ctx, method)
	if capi.MlirOperationGetBlock(b.life.ctx.api, anchor.raw) != b.raw {
		panic("mlir: " + method + " was given an operation of another block to stand next to")
	}
}

// first is a pointer to the first element, nil for an empty slice.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
