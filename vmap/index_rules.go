package vmap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// indexing has the operations that move elements to places that are values.
var indexing = map[string]rule{
	"stablehlo.gather":               gather,
	"stablehlo.scatter":              scatter,
	"stablehlo.dynamic_slice":        dynamicSlice,
	"stablehlo.dynamic_update_slice": dynamicUpdateSlice,
}

// gather makes the dimension of the batch a batching dimension if both operands have it.
func gather(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsGather(op)
	d := &o.DimensionNumbers
	ofOperand, ofIndices := b.batched(o.Operand), b.batched(o.StartIndices)
	o.Operand, o.StartIndices = b.get(o.Operand), b.get(o.StartIndices)
	d.OffsetDims = after(d.OffsetDims)
	if ofOperand {
		d.CollapsedSliceDims, d.StartIndexMap = after(d.CollapsedSliceDims), after(d.StartIndexMap)
		d.OperandBatchingDims = after(d.OperandBatchingDims)
	}
	if ofIndices {
		d.StartIndicesBatchingDims = after(d.StartIndicesBatchingDims)
		d.IndexVectorDim++
		o.IndicesAreSorted = false
		o.StartIndices = b.Widened(o.StartIndices)
	}
	switch {
	case ofOperand && ofIndices:
		d.OperandBatchingDims = first(0, d.OperandBatchingDims)
		d.StartIndicesBatchingDims = first(0, d.StartIndicesBatchingDims)
		o.SliceSizes = first(1, o.SliceSizes)
	case ofOperand:
		d.OffsetDims = first(0, d.OffsetDims)
		o.SliceSizes = first(b.size, o.SliceSizes)
	}
	o.ResultType = mlir.Type{}
	return []mlir.Value{b.Do(o)}
}

// scatter makes the dimension of the batch a batching dimension if the indices have it, and otherwise a
// dimension of the windows.
func scatter(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsScatter(op)
	d := &o.ScatterDimensionNumbers
	ofIndices := b.batched(o.ScatterIndices)
	operands := b.all(op)
	n := len(o.Inputs)
	operands[n] = b.get(o.ScatterIndices)
	d.UpdateWindowDims, d.InsertedWindowDims = after(d.UpdateWindowDims), after(d.InsertedWindowDims)
	d.InputBatchingDims, d.ScatterDimsToOperandDims = after(d.InputBatchingDims), after(d.ScatterDimsToOperandDims)
	if ofIndices {
		d.ScatterIndicesBatchingDims = first(0, after(d.ScatterIndicesBatchingDims))
		d.InputBatchingDims = first(0, d.InputBatchingDims)
		d.IndexVectorDim++
		operands[n] = b.Widened(operands[n])
	} else {
		d.UpdateWindowDims = first(0, d.UpdateWindowDims)
	}
	sorted := b.Context.BoolAttribute(o.IndicesAreSorted && !ofIndices)
	return b.apply(op, operands,
		mlir.NamedAttribute{Name: "scatter_dimension_numbers", Value: transform.Must(d.Attribute(b.Context))},
		mlir.NamedAttribute{Name: "indices_are_sorted", Value: sorted})
}

// dynamicSlice is a gather if the indices are batched.
func dynamicSlice(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsDynamicSlice(op)
	if !b.anyBatched(o.StartIndices) {
		starts := b.starts(o.StartIndices)
		return []mlir.Value{b.Do(stablehlo.DynamicSliceOp{
			Operand: b.get(o.Operand), StartIndices: starts, SliceSizes: first(b.size, o.SliceSizes),
		})}
	}
	all := transform.UpTo(transform.Rank(o.Operand))
	g := stablehlo.GatherOp{
		Operand: b.get(o.Operand), StartIndices: b.vectors(o.StartIndices), SliceSizes: o.SliceSizes,
		DimensionNumbers: stablehlo.GatherDimensionNumbers{
			OffsetDims: after(all), StartIndexMap: all, IndexVectorDim: 1,
		},
	}
	if b.batched(o.Operand) {
		d := &g.DimensionNumbers
		d.StartIndexMap, d.OperandBatchingDims, d.StartIndicesBatchingDims = after(all), []int64{0}, []int64{0}
		g.SliceSizes = first(1, g.SliceSizes)
	}
	return []mlir.Value{b.Do(g)}
}

// dynamicUpdateSlice is a scatter if the indices are batched. Scatter leaves out what reaches out of the
// operand, so the indices are moved first.
func dynamicUpdateSlice(b *batcher, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsDynamicUpdateSlice(op)
	operand, update := b.full(o.Operand), b.full(o.Update)
	if !b.anyBatched(o.StartIndices) {
		return []mlir.Value{b.Do(stablehlo.DynamicUpdateSliceOp{
			Operand: operand, Update: update, StartIndices: b.starts(o.StartIndices),
		})}
	}
	indices := b.vectors(o.StartIndices)
	var last []string
	for i, n := range transform.Dims(o.Operand) {
		last = append(last, strconv.FormatInt(n-transform.Dims(o.Update)[i], 10))
	}
	greatest := b.Constant(b.tensor(transform.Element(indices.Type()), int64(len(last))),
		"["+strings.Join(last, ", ")+"]")
	indices = b.Do(stablehlo.ClampOp{
		Min: b.Zero(b.tensor(transform.Element(indices.Type()))), Operand: indices,
		Max: b.Broadcast(greatest, []int64{1}, transform.Dims(indices)...),
	})
	scalar := b.tensor(transform.Element(operand.Type()))
	all := after(transform.UpTo(transform.Rank(o.Operand)))
	return b.Op(stablehlo.ScatterOp{
		Inputs: []mlir.Value{operand}, ScatterIndices: indices, Updates: []mlir.Value{update},
		ScatterDimensionNumbers: stablehlo.ScatterDimensionNumbers{
			UpdateWindowDims: all, InputBatchingDims: []int64{0}, ScatterIndicesBatchingDims: []int64{0},
			ScatterDimsToOperandDims: all, IndexVectorDim: 1,
		},
		IndicesAreSorted: true, UniqueIndices: true,
		UpdateComputation: b.region([]mlir.Type{scalar, scalar}, func(v []mlir.Value) []mlir.Value { return v[1:] }),
	}).ResultValues()
}

func (b *batcher) anyBatched(list []mlir.Value) bool { return slices.ContainsFunc(list, b.batched) }

// starts returns start indices that are not batched, for an operand that is.
func (b *batcher) starts(indices []mlir.Value) []mlir.Value {
	t := b.tensor(b.Context.IntegerType(32, mlir.Signless))
	if len(indices) > 0 {
		t = indices[0].Type()
	}
	list := []mlir.Value{b.Zero(t)}
	for _, v := range indices {
		list = append(list, b.get(v))
	}
	return list
}

// vectors returns the start indices of each element of the batch in a row.
func (b *batcher) vectors(indices []mlir.Value) mlir.Value {
	var columns []mlir.Value
	for _, v := range indices {
		columns = append(columns, b.Reshape(b.full(v), b.size, 1))
	}
	return b.Widened(b.Do(stablehlo.ConcatenateOp{Inputs: columns, Dimension: 1}))
}
