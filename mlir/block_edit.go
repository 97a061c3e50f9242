package mlir

import (
	"fmt"
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Region returns the region that contains the block, or the nil Region if the block is
// detached.
func (b Block) Region() Region {
	t := b.life.use("Block.Region", b.raw.Ptr)
	return b.life.ctx.region(capi.MlirBlockGetParentRegion(t, b.raw))
}

// Next returns the block after this one in its region, or the nil Block if there is none.
func (b Block) Next() Block {
	t := b.life.use("Block.Next", b.raw.Ptr)
	if capi.MlirBlockGetParentRegion(t, b.raw).Ptr == nil {
		return Block{}
	}
	return b.life.ctx.block(capi.MlirBlockGetNextInRegion(t, b.raw))
}

// First returns the first operation, or the nil Operation if the block is empty.
func (b Block) First() Operation {
	t := b.life.use("Block.First", b.raw.Ptr)
	return b.life.ctx.operation(capi.MlirBlockGetFirstOperation(t, b.raw))
}

// Successors returns an iterator over the blocks that the last operation branches to, and
// their indices.
func (b Block) Successors() iter.Seq2[int, Block] {
	b.life.use("Block.Successors", b.raw.Ptr)
	end := b.Terminator()
	if end.IsNil() { // the library does not know whether an unregistered operation is a terminator
		for o := range b.Operations() {
			end = o
		}
	}
	if end.IsNil() {
		return func(func(int, Block) bool) {}
	}
	return end.Successors()
}

// Predecessors returns the blocks of the region that branch to this one, in order.
func (b Block) Predecessors() []Block {
	b.life.use("Block.Predecessors", b.raw.Ptr)
	region := b.Region()
	if region.IsNil() {
		return nil
	}
	var out []Block
	for other := range region.Blocks() {
		for _, s := range other.Successors() {
			if s.raw == b.raw {
				out = append(out, other)
				break
			}
		}
	}
	return out
}

// AddArgument adds an argument after the others and returns it.
func (b Block) AddArgument(t Type, loc Location) Value {
	api := b.life.use("Block.AddArgument", b.raw.Ptr)
	c := b.life.ctx
	b.touch()
	return c.value(capi.MlirBlockAddArgument(api, b.raw, t.in(c, "Block.AddArgument"), loc.in(c, "Block.AddArgument")))
}

// InsertArgument inserts an argument at index i and returns it. It panics if i is greater
// than the number of arguments.
func (b Block) InsertArgument(i int, t Type, loc Location) Value {
	api := b.life.use("Block.InsertArgument", b.raw.Ptr)
	inRange("Block.InsertArgument", i, b.NumArguments()+1)
	c := b.life.ctx
	b.touch()
	return c.value(
		capi.MlirBlockInsertArgument(api, b.raw, i, t.in(c, "Block.InsertArgument"), loc.in(c, "Block.InsertArgument")))
}

// EraseArgument removes the i-th argument. It panics if i is out of range. If the argument
// is used, it erases nothing and returns an error that names a use.
func (b Block) EraseArgument(i int) error {
	v := b.Argument(i)
	for use := range v.Uses() {
		return fmt.Errorf("mlir: argument %d cannot be erased: it is used by %s at %s",
			i, use.Owner.Name(), use.Owner.Location().Position())
	}
	c := b.life.ctx
	b.touch()
	capi.MlirBlockEraseArgument(c.api, b.raw, uint32(i))
	c.forget([]capi.Thing{{Ptr: v.raw.Ptr, Kind: capi.ValueKind}},
		"on a block argument that Block.EraseArgument has erased")
	return nil
}

// Detach removes the block from its region and returns it. The detached block is freed by
// Erase or with the context. Detach returns a block that is already detached as it is. It
// panics if another block branches to the block.
func (b Block) Detach() Block {
	b.life.use("Block.Detach", b.raw.Ptr)
	c := b.life.ctx
	if _, detached := c.tops[b.raw.Ptr]; detached {
		return b
	}
	b.notPlaceholder("Block.Detach")
	c.calls.mayTake(c, nil, capi.BlockKind, b.raw.Ptr, "Block.Detach")
	if branch := c.branch(capi.BlockKind, b.raw.Ptr); !branch.IsNil() {
		panic(fmt.Sprintf("mlir: Block.Detach: %s at %s branches to it", branch.Name(), branch.Location().Position()))
	}
	out := c.topOf(capi.BlockKind, b.raw.Ptr)
	capi.MlirBlockDetach(c.api, b.raw)
	c.detached(capi.BlockKind, b.raw.Ptr, out)
	return b
}

// MoveBefore moves the block before another one, which may be in another region.
func (b Block) MoveBefore(anchor Block) {
	b.move("Block.MoveBefore", anchor, capi.MlirRegionInsertOwnedBlockBefore, Region.InsertBefore)
}

// MoveAfter moves the block after another one, which may be in another region.
func (b Block) MoveAfter(anchor Block) {
	b.move("Block.MoveAfter", anchor, capi.MlirRegionInsertOwnedBlockAfter, Region.InsertAfter)
}

func (b Block) move(
	method string, anchor Block, within func(*capi.Table, capi.MlirRegion, capi.MlirBlock, capi.MlirBlock),
	insert func(r Region, anchor, b Block),
) {
	b.life.use(method, b.raw.Ptr)
	anchor.in(b.life.ctx, method)
	if b.raw == anchor.raw {
		return
	}
	region := anchor.Region()
	if region.IsNil() {
		panic("mlir: " + method + " was given a detached block as the anchor")
	}
	if region.within(b) {
		panic("mlir: " + method + " was asked to put a block into itself")
	}
	if own := b.Region(); own.raw == region.raw {
		b.life.ctx.calls.mayMove(b.life.ctx, capi.BlockKind, b.raw.Ptr, method)
		b.touch()
		capi.MlirBlockDetach(b.life.ctx.api, b.raw)
		within(b.life.ctx.api, region.raw, anchor.raw, b.raw)
		return
	}
	insert(region, anchor, b.Detach())
}

// within reports whether the region is in the block.
func (r Region) within(b Block) bool {
	for o := r.First().Parent(); !o.IsNil(); o = o.Parent() {
		if o.Block().raw == b.raw {
			return true
		}
	}
	return false
}

// Erase removes the block and destroys it with everything in it. If a value in it is used
// outside, or if another block branches to it, Erase destroys nothing and returns an error
// that names the user.
func (b Block) Erase() error {
	b.life.use("Block.Erase", b.raw.Ptr)
	c := b.life.ctx
	b.notPlaceholder("Block.Erase")
	c.calls.mayTake(c, nil, capi.BlockKind, b.raw.Ptr, "Block.Erase")
	if err := c.unused(capi.BlockKind, b.raw.Ptr, "the block"); err != nil {
		return err
	}
	if branch := c.branch(capi.BlockKind, b.raw.Ptr); !branch.IsNil() {
		return fmt.Errorf("mlir: the block cannot be erased: %s at %s branches to it", branch.Name(),
			branch.Location().Position())
	}
	if t, detached := c.tops[b.raw.Ptr]; detached {
		c.end(t, "after Block.Erase")
		return nil
	}
	c.erase(capi.BlockKind, b.raw.Ptr, "Block.Erase")
	return nil
}

// String returns the block's text.
func (b Block) String() string {
	if b.IsNil() {
		return "<nil block>"
	}
	t := b.life.use("Block.String", b.raw.Ptr)
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirBlockPrint(t, b.raw, cb, ud)
	}))
}
