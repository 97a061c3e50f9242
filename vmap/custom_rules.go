package vmap

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// CustomBatch is the name of a composite that states batches of what its decomposition computes. Its composite
// attribute batch.N names, by a symbol or a string, the function of the module for a batch of N elements. The function
// takes batches, along the first dimension, of the first operands of the composite, whose number is the attribute
// arguments, and then the other operands. It returns batches of the results. The other operands must be the same for
// all elements.
const CustomBatch = transform.CustomBatch

// custom batches a composite that states its derivative or its batch. Others but checkpoints are inlined. All
// arguments are batched then, so that the cotangents of each element are added up by the derivative of the broadcast.
func custom(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsComposite(op)
	if o.Name == transform.Checkpoint {
		return checkpoint(b, op)
	}
	n := transform.NumArguments(o)
	if n < 0 {
		transform.Fail(op, "its attribute arguments is not the number of its operands with derivatives")
	}
	others := make([]int, len(o.Inputs)-n)
	for i, v := range o.Inputs {
		if i < n {
			o.Inputs[i] = b.full(v)
			continue
		}
		o.Inputs[i] = b.get(v)
		if !b.batched(v) {
			others[i-n] = NotBatched
		}
	}
	if o.Name == CustomBatch {
		name := transform.FunctionOf(o, fmt.Sprint("batch.", b.size))
		switch {
		case slices.Contains(others, 0):
			transform.Fail(op, "its rule takes a value from outside that differs in the batch: "+
				"make the value a part of the argument")
		case name == "":
			transform.Fail(op, "it has no rule for a batch of %d elements: builder.CustomBatch makes one for each builder.Batch "+
				"around its call", b.size)
		}
		return b.rule(op, name, o.Inputs, contract.Config{})
	}
	batch := func(name string) string {
		f, ok := b.table.Lookup(name)
		if !ok || f.Region(0).NumBlocks() != 1 || f.Region(0).First().NumArguments() < len(others) {
			transform.Fail(op, "the function @%s of its rule is not in the module", name)
		}
		in := append(make([]int, f.Region(0).First().NumArguments()-len(others)), others...)
		return b.function(f, in)
	}
	o.Decomposition = batch(o.Decomposition)
	if o.Name != transform.StopGradient {
		var attributes []mlir.NamedAttribute
		for name, a := range o.CompositeAttributes.Entries() {
			if name == "jvp" || name == "forward" || name == "backward" {
				a = b.Context.SymbolAttribute(batch(transform.FunctionOf(o, name)))
			}
			attributes = append(attributes, mlir.NamedAttribute{Name: name, Value: a})
		}
		o.CompositeAttributes = b.Context.DictionaryAttribute(attributes...)
	}
	for i, t := range o.ResultTypes {
		o.ResultTypes[i] = b.typeOf(t)
	}
	return b.Op(o).ResultValues()
}
