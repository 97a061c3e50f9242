package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestSizes(t *testing.T) {
	c := mlirtest.Context(t)
	v := c.NewBlock(mlir.Location{}, c.IndexType()).Argument(0)
	sizes := append(mlir.FixedSizes(1, 2), mlir.Fixed(3), mlir.Computed(v), mlir.Size{})
	var numbers []int64
	for i, s := range sizes {
		numbers = append(numbers, s.Number())
		check.Diff(t, "is a number", i != 3, s.Value().IsNil())
	}
	check.Diff(t, "numbers", []int64{1, 2, 3, mlir.Dynamic, 0}, numbers)
}

// TestBuilderBlock checks where a Builder adds blocks, and what stands for one after an error.
func TestBuilderBlock(t *testing.T) {
	c := mlirtest.Context(t)
	b := mlir.NewBuilder(c, mlir.Location{})
	var blocks []mlir.Block
	region := b.Region(func([]mlir.Value) {
		blocks = append(blocks, b.Block(), b.Block(c.F32Type()))
		b.In(blocks[1], func() { blocks = append(blocks, b.Block()) })
	})
	check.NoError(t, b.Err())
	check.Diff(t, "blocks", 4, region.NumBlocks())
	check.Diff(t, "the last one", true, blocks[0].Next().Next().Equal(blocks[2]))
	check.Diff(t, "arguments", 1, blocks[1].NumArguments())
	block := b.Block(c.F32Type())
	check.Error(t, b.Err(), "Builder.Block needs a Builder that creates operations in a block of a region")
	check.Diff(t, "arguments of the one after an error", 1, block.NumArguments())
	check.Diff(t, "arguments of the next one", 1, b.Block(mlir.Type{}).NumArguments())
}
