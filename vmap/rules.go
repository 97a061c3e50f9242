package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// A rule creates an operation of the source again, at least one of whose operands is batched. It returns
// what stands for the results.
type rule func(b *batcher, op mlir.Operation) []mlir.Value

// rules has the rules of operations and of custom calls, also those of other packages: see Register.
var rules transform.Rules[rule]

func init() { // the rules of loops and branches refer to the table
	rules.AddAll(map[string]rule{"stablehlo.custom_call": (*batcher).customCall, "stablehlo.composite": custom})
	for _, family := range []map[string]rule{
		shapes, products, reductions, windows, indexing, normalizations, collectives, shardy, control, expanded,
	} {
		rules.AddAll(family)
	}
	add := func(r rule, names []string, to func(string, rule) error) {
		for _, name := range names {
			transform.Check(to(name, r))
		}
	}
	add(alike, elementwise, rules.Add)
	add((*batcher).loop, looped, rules.Add)
	add((*batcher).customCall, contract.Targets(), rules.AddTarget)
	add((*batcher).lapack, contract.LAPACKTargets(), rules.AddTarget)
	add(unplaced, []string{"Sharding"}, rules.AddTarget)
}

// unplaced is the rule of what says where a value is, and not what.
func unplaced(b *batcher, op mlir.Operation) []mlir.Value { return []mlir.Value{b.get(op.Operand(0))} }

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
