package mlir

import (
	"errors"
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Region is a list of blocks, part of an operation or detached. Two that can be used are ==
// if they are the same one.
type Region struct {
	life *lifetime
	raw  capi.MlirRegion
}

// NewRegion makes a detached region. An operation that is created with it takes over
// its blocks; the region itself is used up then, and Operation.Region is the new one.
func (c *Context) NewRegion() Region {
	raw := capi.MlirRegionCreate(c.life.check("Context.NewRegion"))
	c.newTop(capi.RegionKind, raw.Ptr)
	return c.region(raw)
}

// Equal reports whether both are the same one, as == does.
func (r Region) Equal(other Region) bool { return r == other }

// IsNil reports whether r is the zero Region.
func (r Region) IsNil() bool { return r.raw.Ptr == nil }

func (r Region) use(method string) *capi.Table { return r.life.use(method, r.raw.Ptr) }

// Blocks iterates over the blocks that stand in the region when it begins, in order. They
// may be moved and erased while iterating, as with Block.Operations.
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

// First is the first block, nil where the region is empty.
func (r Region) First() Block {
	t := r.use("Region.First")
	return r.life.ctx.block(capi.MlirRegionGetFirstBlock(t, r.raw))
}

// Append adds a detached block at the end; the region owns it from then on.
func (r Region) Append(b Block) {
	t := r.use("Region.Append")
	r.adopt(b, "Region.Append")
	capi.MlirRegionAppendOwnedBlock(t, r.raw, b.raw)
	b.touch()
}

// Insert adds a detached block as the i-th one. It panics where i is greater than the
// number of blocks.
func (r Region) Insert(i int, b Block) {
	t := r.use("Region.Insert")
	inRange("Region.Insert", i, r.NumBlocks()+1)
	r.adopt(b, "Region.Insert")
	capi.MlirRegionInsertOwnedBlock(t, r.raw, i, b.raw)
	b.touch()
}

// InsertBefore adds a detached block before another one of this region.
func (r Region) InsertBefore(anchor, b Block) {
	t := r.use("Region.InsertBefore")
	r.owns(anchor, "Region.InsertBefore")
	r.adopt(b, "Region.InsertBefore")
	capi.MlirRegionInsertOwnedBlockBefore(t, r.raw, anchor.raw, b.raw)
	b.touch()
}

// InsertAfter adds a detached block after another one of this region.
func (r Region) InsertAfter(anchor, b Block) {
	t := r.use("Region.InsertAfter")
	r.owns(anchor, "Region.InsertAfter")
	r.adopt(b, "Region.InsertAfter")
	capi.MlirRegionInsertOwnedBlockAfter(t, r.raw, anchor.raw, b.raw)
	b.touch()
}

// NumBlocks counts the blocks.
func (r Region) NumBlocks() int {
	n := 0
	for range r.Blocks() {
		n++
	}
	return n
}

// IsEmpty reports whether the region has no block.
func (r Region) IsEmpty() bool { return r.First().IsNil() }

// Next is the region after this one in its operation, nil for the last and for a
// detached one.
func (r Region) Next() Region {
	t := r.use("Region.Next")
	if _, detached := r.life.ctx.tops[r.raw.Ptr]; detached {
		return Region{}
	}
	return r.life.ctx.region(capi.MlirRegionGetNextInOperation(t, r.raw))
}

// TakeBody moves all blocks of another region into this one, which must be empty.
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
			panic("mlir: Region.TakeBody: a value of the body is still used where it was")
		}
		if !c.branch(capi.RegionKind, from.raw.Ptr).IsNil() {
			panic("mlir: Region.TakeBody: something still branches to the body where it was")
		}
		if there.uses != nil || there.module != nil {
			if op := capi.Stray(t, capi.RegionKind, from.raw.Ptr, home.raw); op.Ptr != nil && home.module != nil {
				panic("mlir: Region.TakeBody: the body uses values that do not stand in the same module")
			}
			home.uses = elsewhere
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

// Erase destroys a detached region that was not used. A region that is part of an
// operation ends with it: there the error says so.
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
		panic("mlir: " + method + " was given a block of another region to stand next to")
	}
}
