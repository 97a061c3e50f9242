package vmap

import (
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A rule creates an operation of the source again, at least one of whose operands is batched. It returns
// what stands for the results.
type rule func(b *batcher, op mlir.Operation) []mlir.Value

// rules has the rule of each operation by its name.
var rules map[string]rule

func init() { // the rules of loops and branches refer to the table
	rules = map[string]rule{"stablehlo.custom_call": (*batcher).customCall, "stablehlo.composite": custom}
	for _, family := range []map[string]rule{
		shapes, products, reductions, windows, indexing, normalizations, collectives, shardy, control, expanded,
	} {
		maps.Copy(rules, family)
	}
	for _, name := range elementwise {
		rules[name] = alike
	}
	for _, name := range looped {
		rules[name] = (*batcher).loop
	}
}

// alike is the rule of an operation that works on each element: the same on larger arrays.
func alike(b *batcher, op mlir.Operation) []mlir.Value { return b.apply(op, b.all(op)) }

// looped has the operations that run in a loop over the batch.
var looped = []string{
	"stablehlo.rng", "stablehlo.rng_bit_generator", "stablehlo.torch_index_select", "chlo.ragged_dot",
}

// Looped returns the names of the operations that run in a loop over the batch, because they have no form
// that works on a batch. So do custom calls that are no callbacks and have no side effects, and operations with
// a region that uses a batched value from outside.
func Looped() []string { return slices.Clone(looped) }
