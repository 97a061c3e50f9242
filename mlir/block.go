package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Block is a list of operations with arguments, part of a region or detached.
type Block struct {
	life *lifetime
	raw  capi.MlirBlock
}

// NewBlock makes a detached block with arguments of the given types, all at one
// location.
func (c *Context) NewBlock(location Location, arguments ...Type) Block {
	t := c.life.check("Context.NewBlock")
	at := location.in(c, "Context.NewBlock")
	types := make([]capi.MlirType, len(arguments))
	locations := make([]capi.MlirLocation, len(arguments))
	for i, a := range arguments {
		types[i] = a.in(c, "Context.NewBlock")
		locations[i] = at
	}
	return Block{c.life, capi.MlirBlockCreate(t, len(types), first(types), first(locations))}
}

// Equal reports whether both are the same one.
func (b Block) Equal(other Block) bool { return b.raw == other.raw }

// IsNil reports whether b is the zero Block.
func (b Block) IsNil() bool { return b.raw.Ptr == nil }

// Parent is the operation whose region holds the block, nil for a detached one.
func (b Block) Parent() Operation {
	t := b.life.check("Block.Parent")
	return Operation{b.life, capi.MlirBlockGetParentOperation(t, b.raw)}
}

// NumArguments is the number of the block's arguments.
func (b Block) NumArguments() int {
	return capi.MlirBlockGetNumArguments(b.life.check("Block.NumArguments"), b.raw)
}

// Argument is the i-th argument. It panics where there is none.
func (b Block) Argument(i int) Value {
	t := b.life.check("Block.Argument")
	inRange("Block.Argument", i, capi.MlirBlockGetNumArguments(t, b.raw))
	return Value{b.life, capi.MlirBlockGetArgument(t, b.raw, i)}
}

// Arguments iterates over the arguments.
func (b Block) Arguments() iter.Seq2[int, Value] {
	return indexed(b.NumArguments(), b.Argument)
}

// Operations iterates over the operations in order. The current one may be moved or
// erased while iterating.
func (b Block) Operations() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		t := b.life.check("Block.Operations")
		for raw := capi.MlirBlockGetFirstOperation(t, b.raw); raw.Ptr != nil; {
			next := capi.MlirOperationGetNextInBlock(t, raw)
			if !yield(Operation{b.life, raw}) {
				return
			}
			raw = next
		}
	}
}

// Terminator is the operation that ends the block, nil where there is none yet.
func (b Block) Terminator() Operation {
	t := b.life.check("Block.Terminator")
	return Operation{b.life, capi.MlirBlockGetTerminator(t, b.raw)}
}

// Append adds a detached operation at the end; the block owns it from then on. It
// returns the operation as part of the block.
func (b Block) Append(o Operation) Operation {
	t := b.life.check("Block.Append")
	o.life.mine(b.life.ctx, "an operation", "Block.Append")
	if !capi.AppendOperation(t, b.raw, o.raw) {
		panicPlaced("Block.Append")
	}
	return Operation{b.life, o.raw}
}

// InsertBefore adds a detached operation before another one of this block.
func (b Block) InsertBefore(anchor, o Operation) Operation {
	t := b.life.check("Block.InsertBefore")
	b.adopt(o, "Block.InsertBefore")
	b.owns(anchor, "Block.InsertBefore")
	capi.MlirBlockInsertOwnedOperationBefore(t, b.raw, anchor.raw, o.raw)
	return Operation{b.life, o.raw}
}

// InsertAfter adds a detached operation after another one of this block.
func (b Block) InsertAfter(anchor, o Operation) Operation {
	t := b.life.check("Block.InsertAfter")
	b.adopt(o, "Block.InsertAfter")
	b.owns(anchor, "Block.InsertAfter")
	capi.MlirBlockInsertOwnedOperationAfter(t, b.raw, anchor.raw, o.raw)
	return Operation{b.life, o.raw}
}

// adopt panics for an operation that cannot be added: one that is in a block already
// would make the library's lists loop for ever.
func (b Block) adopt(o Operation, method string) {
	o.life.mine(b.life.ctx, "an operation", method)
	if capi.MlirOperationGetBlock(b.life.ctx.lib.api, o.raw).Ptr != nil {
		panicPlaced(method)
	}
}

func panicPlaced(method string) {
	panic("mlir: " + method + " was given an operation that stands in a block already")
}

func (b Block) owns(anchor Operation, method string) {
	anchor.life.mine(b.life.ctx, "an operation", method)
	if capi.MlirOperationGetBlock(b.life.ctx.lib.api, anchor.raw) != b.raw {
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
