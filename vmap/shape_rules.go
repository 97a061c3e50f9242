package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// shapes has the operations that move elements to places that do not depend on values.
var shapes = map[string]rule{
	"stablehlo.reshape": alike,
	"stablehlo.broadcast": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsBroadcast(op)
		to := transform.UpTo(transform.Rank(o.Operand))
		for i := range to {
			to[i] += int64(len(o.BroadcastSizes))
		}
		return b.spread(op, to)
	},
	"stablehlo.broadcast_in_dim": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsBroadcastInDim(op)
		return b.spread(op, o.BroadcastDimensions)
	},
	"stablehlo.transpose": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsTranspose(op)
		return b.apply(op, b.all(op), b.ints("permutation", first(0, after(o.Permutation))))
	},
	"stablehlo.reverse": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsReverse(op)
		return b.apply(op, b.all(op), b.ints("dimensions", after(o.Dimensions)))
	},
	"stablehlo.slice": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsSlice(op)
		return b.apply(op, b.all(op), b.ints("start_indices", first(0, o.StartIndices)),
			b.ints("limit_indices", first(b.size, o.LimitIndices)), b.ints("strides", first(1, o.Strides)))
	},
	"stablehlo.concatenate": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsConcatenate(op)
		return b.apply(op, b.all(op), b.int("dimension", o.Dimension+1))
	},
	"stablehlo.pad": pad,
	"stablehlo.get_dimension_size": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsGetDimensionSize(op)
		return []mlir.Value{b.Do(stablehlo.GetDimensionSizeOp{Operand: b.get(o.Operand), Dimension: o.Dimension + 1})}
	},
}

// spread broadcasts dimension i to dimension to[i] of the result.
func (b *batcher) spread(op mlir.Operation, to []int64) []mlir.Value {
	return []mlir.Value{b.Broadcast(b.get(op.Operand(0)), first(0, after(to)),
		first(b.size, transform.Dims(op.Result(0)))...)}
}

// pad pads with zeros first if each element of the batch has a padding of its own.
func pad(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsPad(op)
	with := func(operand, padding mlir.Value) mlir.Value {
		return b.Do(stablehlo.PadOp{
			Operand: operand, PaddingValue: padding, EdgePaddingLow: first(0, o.EdgePaddingLow),
			EdgePaddingHigh: first(0, o.EdgePaddingHigh), InteriorPadding: first(0, o.InteriorPadding),
		})
	}
	operand, padding := b.full(o.Operand), o.PaddingValue
	if !b.batched(padding) {
		return []mlir.Value{with(operand, b.get(padding))}
	}
	bit := b.Context.IntegerType(1, mlir.Signless)
	padded := with(operand, b.Zero(padding.Type()))
	is := with(b.Number(b.tensor(bit, transform.Dims(operand)...), 1), b.Zero(b.tensor(bit)))
	return []mlir.Value{b.Select(is, padded, b.Broadcast(b.get(padding), []int64{0}, transform.Dims(padded)...))}
}

// fold moves the dimension of the batch into another one of the other dimensions, which has so many groups: it
// is then the groups, the batch, and what is left of it.
func (b *batcher) fold(x mlir.Value, dimension, groups int64) mlir.Value {
	shape := transform.Dims(x)[1:]
	split := slices.Concat(shape[:dimension], []int64{groups, shape[dimension] / groups}, shape[dimension+1:])
	x = b.move(b.Reshape(x, first(b.size, split)...), 0, int(dimension)+1)
	merged := slices.Clone(shape)
	merged[dimension] *= b.size
	return b.Reshape(x, merged...)
}

// unfold undoes fold.
func (b *batcher) unfold(x mlir.Value, dimension, groups int64) mlir.Value {
	shape := slices.Clone(transform.Dims(x))
	shape[dimension] /= b.size
	split := slices.Concat(shape[:dimension], []int64{groups, b.size, shape[dimension] / groups}, shape[dimension+1:])
	return b.Reshape(b.move(b.Reshape(x, split...), int(dimension)+1, 0), first(b.size, shape)...)
}
