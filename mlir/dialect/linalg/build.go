package linalg

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// The kinds of loops of a [Generic].
const (
	ParallelLoop  = "parallel"
	ReductionLoop = "reduction"
)

// Generic creates a linalg.generic. maps has an indexing map for each input and output, in
// this order, and loops the kind of each loop. body gets an element of each, and returns one
// for each output.
func Generic(
	b *mlir.Builder, maps []affine.Map, loops []string, inputs, outputs []mlir.Value,
	body func(in []mlir.Value) []mlir.Value,
) mlir.Operation {
	ods.Needs(b, body != nil)
	op := GenericOp{Inputs: inputs, Outputs: outputs, IndexingMaps: maps}
	for _, loop := range loops {
		op.IteratorTypes = append(op.IteratorTypes, b.Attribute("#linalg.iterator_type<"+loop+">"))
	}
	op.Region = b.Region(func(in []mlir.Value) { Yield(b, body(in)...) }, elementsOf(b, inputs, outputs)...)
	return op.Create(b)
}

// elementsOf returns the element types of values, or their types if they have no elements.
func elementsOf(b *mlir.Builder, lists ...[]mlir.Value) (types []mlir.Type) {
	for _, list := range lists {
		for _, t := range ods.Types(b, "a linalg operation", list) {
			if element, ok := t.Element(); ok {
				t = element
			}
			types = append(types, t)
		}
	}
	return types
}
