package mlir

import (
	"errors"
	"iter"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Region is a list of blocks, part of an operation or detached. Two valid handles to the
// same region are ==.
type Region struct {
	life *lifetime
	raw  capi.MlirRegion
}

// NewRegion creates a detached region. An operation that is created with it takes over its
// blocks. The handle is invalid after that: use Operation.Region.
func (c *Context) NewRegion() Region {
	raw := capi.MlirRegionCreate(c.life.check("Context.NewRegion"))
	c.newTop(capi.RegionKind, raw.Ptr)
	return c.region(raw)
}

// Equal reports whether r and other are the same region, as == does.
func (r Region) Equal(other Region) bool { return r == other }

// IsNil reports whether r is the zero Region.
func (r Region) IsNil() bool { return r.raw.Ptr == nil }

func (r Region) use(method string) *capi.Table { return r.life.use(method, r.raw.Ptr) }

// Blocks returns an iterator over the blocks that are in the region when the iteration
// starts, in order. The loop may move and erase blocks, as with Block.Operations.
func (r Region) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		t := r.use("Region.Blocks")
		var list []Block
		for raw := capi.MlirRegionGetFirstBlock(t, r.raw); raw.Ptr != nil; raw = capi.MlirBlockGetNextInRegion(t, raw) {
			list = append(list, r.life.ctx.block(raw))
		}
		for _, b := range list {
			if b.life.good(b.raw.Ptr) && !yield(b) {
				return
			}
		}
	}
}

// First returns the first block, or the nil Block if the region is empty.
func (r Region) First() Block {
	t := r.use("Region.First")
	return r.life.ctx.block(capi.MlirRegionGetFirstBlock(t, r.raw))
}

// Append adds a detached block at the end of the region, which owns it from then on.
func (r Region) Append(b Block) {
	t := r.use("Region.Append")
	r.adopt(b, "Region.Append")
	capi.MlirRegionAppendOwnedBlock(t, r.raw, b.raw)
	b.touch()
}

// Insert inserts a detached block at index i. It panics if i is greater than the number of
// blocks.
func (r Region) Insert(i int, b Block) {
	t := r.use("Region.Insert")
	inRange("Region.Insert", i, r.NumBlocks()+1)
	r.adopt(b, "Region.Insert")
	capi.MlirRegionInsertOwnedBlock(t, r.raw, i, b.raw)
	b.touch()
}

// InsertBefore inserts a detached block before another block of this region.
func (r Region) InsertBefore(anchor, b Block) {
	t := r.use("Region.InsertBefore")
	r.owns(anchor, "Region.InsertBefore")
	r.adopt(b, "Region.InsertBefore")
	capi.MlirRegionInsertOwnedBlockBefore(t, r.raw, anchor.raw, b.raw)
	b.touch()
}

// InsertAfter inserts a detached block after another block of this region.
func (r Region) InsertAfter(anchor, b Block) {
	t := r.use("Region.InsertAfter")
	r.owns(anchor, "Region.InsertAfter")
	r.adopt(b, "Region.InsertAfter")
	capi.MlirRegionInsertOwnedBlockAfter(t, r.raw, anchor.raw, b.raw)
	b.touch()
}

// NumBlocks returns the number of blocks.
func (r Region) NumBlocks() int {
	n := 0
	for range r.Blocks() {
		n++
	}
	return n
}

// IsEmpty reports whether the region has no blocks.
func (r Region) IsEmpty() bool { return r.First().IsNil() }

// Next returns the region after this one in its operation. It returns the nil Region if
// this is the last one or is detached.
func (r Region) Next() Region {
	t := r.use("Region.Next")
	if _, detached := r.life.ctx.tops[r.raw.Ptr]; detached {
		return Region{}
	}
	return r.life.ctx.region(capi.MlirRegionGetNextInOperation(t, r.raw))
}

// TakeBody moves all blocks of another region into this one, which must be empty. It panics
// if the blocks are still used where they were, or use values that are not in the same
// module.
func (r Region) TakeBody(from Region) {
	t := r.use("Region.TakeBody")
	from.in(r.life.ctx, "Region.TakeBody")
	if r.raw == from.raw {
		return
	}
	if !r.IsEmpty() {
		panic("mlir: Region.TakeBody needs an empty region: erase its blocks first")
	}
	c := r.life.ctx
	home, there := c.topOf(capi.RegionKind, r.raw.Ptr), c.topOf(capi.RegionKind, from.raw.Ptr)
	if capi.RegionIn(t, r.raw, from.raw.Ptr) {
		panic("mlir: Region.TakeBody was asked to put a region into itself")
	}
	c.calls.mayMove(c, capi.RegionKind, from.raw.Ptr, "Region.TakeBody")
	if home != there {
		c.calls.mayTake(c, nil, capi.RegionKind, from.raw.Ptr, "Region.TakeBody")
		if err := c.unused(capi.RegionKind, from.raw.Ptr, "the region's body"); err != nil {
			panic("mlir: Region.TakeBody: a value of the body is still used outside it")
		}
		if !c.branch(capi.RegionKind, from.raw.Ptr).IsNil() {
			panic("mlir: Region.TakeBody: an operation outside still branches into the body")
		}
		if there.uses != nil || there.module != nil {
			if op := capi.UserOfOutside(t, capi.RegionKind, from.raw.Ptr, home.raw); op.Ptr != nil &&
				home.module != nil {
				panic("mlir: Region.TakeBody: the body uses values that are not in the module of the region")
			}
			c.setUses(home, elsewhere)
		}
		there.parted = true
		if call := c.calls.current; call != nil {
			call.give(capi.Gather(t, capi.RegionKind, from.raw.Ptr)...)
		}
	}
	from.First().touch()
	capi.MlirRegionTakeBody(t, r.raw, from.raw)
	r.First().touch()
}

// Erase destroys a detached region with everything in it. It returns an error if the region
// is part of an operation, or if a value in it is used outside.
func (r Region) Erase() error {
	r.use("Region.Erase")
	c := r.life.ctx
	t, detached := c.tops[r.raw.Ptr]
	if !detached {
		return errors.New("mlir: a region that is part of an operation can be erased only with the operation")
	}
	c.calls.mayTake(c, nil, capi.RegionKind, r.raw.Ptr, "Region.Erase")
	if err := c.unused(capi.RegionKind, r.raw.Ptr, "the region"); err != nil {
		return err
	}
	c.end(t, "after Region.Erase")
	return nil
}

func (r Region) adopt(b Block, method string) {
	c := r.life.ctx
	b.in(c, method)
	c.calls.mayChange(c, capi.RegionKind, r.raw.Ptr)
	home := c.topOf(capi.RegionKind, r.raw.Ptr)
	c.join(c.joinable(capi.BlockKind, b.raw.Ptr, home, "a block that is part of a region already", method), home)
}

func (r Region) owns(anchor Block, method string) {
	anchor.in(r.life.ctx, method)
	if capi.MlirBlockGetParentRegion(r.life.ctx.api, anchor.raw) != r.raw {
		panic("mlir: " + method + " was given an anchor in another region: use a block of this region")
	}
}
