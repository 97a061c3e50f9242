package vmap

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// reductions has the operations that combine or order the elements along dimensions.
var reductions = map[string]rule{
	"stablehlo.reduce": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsReduce(op)
		return b.reduce(op, len(o.Inputs), b.ints("dimensions", after(o.Dimensions)))
	},
	"stablehlo.sort": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsSort(op)
		if o.Dimension != nil && *o.Dimension >= 0 {
			return b.apply(op, b.all(op), b.int("dimension", *o.Dimension+1))
		}
		return b.apply(op, b.all(op))
	},
}

// reduce batches the inputs of a reduction. Initial values are scalars, so if they are batched it runs in a loop.
func (b *batcher) reduce(op mlir.Operation, inputs int, attributes ...mlir.NamedAttribute) []mlir.Value {
	operands := op.OperandValues()
	for i, v := range operands {
		switch {
		case i < inputs:
			operands[i] = b.full(v)
		case b.batched(v):
			return b.loop(op)
		default:
			operands[i] = b.get(v)
		}
	}
	return b.apply(op, operands, attributes...)
}

// windows has the reductions of windows.
var windows = map[string]rule{
	"stablehlo.reduce_window": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsReduceWindow(op)
		list := append(b.window(o.Padding, o.WindowStrides), b.ints("window_dimensions", first(1, o.WindowDimensions)))
		if o.BaseDilations != nil {
			list = append(list, b.ints("base_dilations", first(1, o.BaseDilations)))
		}
		if o.WindowDilations != nil {
			list = append(list, b.ints("window_dilations", first(1, o.WindowDilations)))
		}
		return b.reduce(op, len(o.Inputs), list...)
	},
	"stablehlo.select_and_scatter": func(b *batcher, op mlir.Operation) []mlir.Value {
		o, _ := stablehlo.AsSelectAndScatter(op)
		list := b.window(o.Padding, o.WindowStrides)
		if o.WindowDimensions != nil {
			list = append(list, b.ints("window_dimensions", first(1, o.WindowDimensions)))
		}
		return b.reduce(op, 2, list...)
	},
}

// window returns the attributes of windows that are optional, with the dimension of the batch.
func (b *batcher) window(padding [][2]int64, strides []int64) (list []mlir.NamedAttribute) {
	if padding != nil {
		values := []int64{0, 0}
		for _, p := range padding {
			values = append(values, p[:]...)
		}
		t := b.tensor(b.Context.IntegerType(64, mlir.Signless), int64(len(padding)+1), 2)
		list = append(list, mlir.NamedAttribute{Name: "padding", Value: transform.Must(mlir.NewDense(t, values))})
	}
	if strides != nil {
		list = append(list, b.ints("window_strides", first(1, slices.Clone(strides))))
	}
	return list
}
