package ods

import "github.com/calliope-mlir/calliope/mlir"

// Terminate calls end, which creates a terminator without operands, at the end of a region's first
// block, if the block does not have one. Functions without results call it, so their bodies may
// end with a terminator or not.
func Terminate(b *mlir.Builder, region mlir.Region, end func()) {
	if b.Err() == nil && region.First().Terminator().IsNil() {
		b.In(region.First(), end)
	}
}
