package mlir

import (
	"iter"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Region is a list of blocks, part of an operation or detached.
type Region struct {
	life *lifetime
	raw  capi.MlirRegion
}

// NewRegion makes a detached region. An operation that is created with it owns it
// from then on.
func (c *Context) NewRegion() Region {
	return Region{c.life, capi.MlirRegionCreate(c.life.check("Context.NewRegion"))}
}

// Equal reports whether both are the same one.
func (r Region) Equal(other Region) bool { return r.raw == other.raw }

// IsNil reports whether r is the zero Region.
func (r Region) IsNil() bool { return r.raw.Ptr == nil }

// Blocks iterates over the blocks in order.
func (r Region) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		t := r.life.check("Region.Blocks")
		for raw := capi.MlirRegionGetFirstBlock(t, r.raw); raw.Ptr != nil; {
			next := capi.MlirBlockGetNextInRegion(t, raw)
			if !yield(Block{r.life, raw}) {
				return
			}
			raw = next
		}
	}
}

// First is the first block, nil where the region is empty.
func (r Region) First() Block {
	return Block{r.life, capi.MlirRegionGetFirstBlock(r.life.check("Region.First"), r.raw)}
}

// Append adds a detached block at the end; the region owns it from then on.
func (r Region) Append(b Block) {
	t := r.life.check("Region.Append")
	b.life.mine(r.life.ctx, "a block", "Region.Append")
	if capi.MlirBlockGetParentRegion(t, b.raw).Ptr != nil {
		panic("mlir: Region.Append was given a block that is part of a region already")
	}
	capi.MlirRegionAppendOwnedBlock(t, r.raw, b.raw)
}
