package vmap

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// collectives has the operations between devices. Each device has the whole batch.
var collectives = map[string]rule{
	"stablehlo.all_reduce":           alike,
	"stablehlo.collective_broadcast": alike,
	"stablehlo.collective_permute":   alike,
	"stablehlo.cross-replica-sum":    alike,
	"stablehlo.all_gather": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsAllGather(op)
		return b.apply(op, b.all(op), b.int("all_gather_dim", o.AllGatherDim+1))
	},
	"stablehlo.reduce_scatter": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsReduceScatter(op)
		return b.apply(op, b.all(op), b.int("scatter_dimension", o.ScatterDimension+1))
	},
	"stablehlo.all_to_all": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsAllToAll(op)
		return b.apply(op, b.all(op),
			b.int("split_dimension", o.SplitDimension+1), b.int("concat_dimension", o.ConcatDimension+1))
	},
}
