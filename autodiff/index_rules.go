package autodiff

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// indexing has the operations that move elements to places that are values, one by one.
var indexing = map[string]rule{
	"stablehlo.gather":  same(transposeGather),
	"stablehlo.scatter": {jvp: jvpScatter, transpose: transposeScatter, expand: expandScatter},
	"stablehlo.sort":    {jvp: jvpSort},
}

// transposeGather adds each element of the cotangent to the place that it came from. Gather moves slices
// that reach out of the operand into it, and scatter leaves them out, so the indices are moved first.
func transposeGather(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
	o, _ := stablehlo.AsGather(op)
	d := o.DimensionNumbers
	into := stablehlo.ScatterDimensionNumbers{
		UpdateWindowDims: d.OffsetDims, InsertedWindowDims: d.CollapsedSliceDims,
		InputBatchingDims:          d.OperandBatchingDims,
		ScatterIndicesBatchingDims: d.StartIndicesBatchingDims,
		ScatterDimsToOperandDims:   d.StartIndexMap, IndexVectorDim: d.IndexVectorDim,
	}
	indices := o.StartIndices
	sorted := o.IndicesAreSorted
	if !isBounded(indices, o.Operand, d.StartIndexMap, o.SliceSizes) {
		sorted = sorted && len(d.StartIndexMap) == 1 // clamped ones of several dimensions may not be
		zero, last := b.bounds(indices, o.Operand, d.StartIndexMap, o.SliceSizes, d.IndexVectorDim)
		indices = b.Do(stablehlo.ClampOp{Min: zero, Operand: indices, Max: last})
	}
	return b.scatterAdd(b.Zero(o.Operand.Type()), indices, g, into, sorted, false)
}

// isBounded reports whether indices are positions along a dimension that was sorted, of which all are in the bounds of
// slices of an operand.
func isBounded(v, operand mlir.Value, indexed, sizes []int64) bool {
	for isMadeBy(v, "stablehlo.reshape") {
		v = v.Owner().Operand(0)
	}
	var positions int64
	switch {
	case isMadeBy(v, "chlo.top_k") && v.Index() == 1:
		shape := transform.Dims(v.Owner().Operand(0))
		positions = shape[len(shape)-1]
	case isMadeBy(v, "stablehlo.sort") && isMadeBy(v.Owner().Operand(v.Index()), "stablehlo.iota"):
		o, _ := stablehlo.AsIota(v.Owner().Operand(v.Index()).Owner())
		positions = transform.Dims(v)[o.IotaDimension]
	default:
		return false
	}
	if positions-1 > greatest(v.Type()) {
		return false // the numbers of the last ones are others
	}
	return !slices.ContainsFunc(indexed,
		func(d int64) bool { return positions-1 > transform.Dims(operand)[d]-sizes[d] })
}

// greatest returns the greatest value of a type of integers, or the greatest int64.
func greatest(t mlir.Type) int64 {
	bits, sign, _ := transform.Element(t).IntegerWidth()
	if sign != mlir.Unsigned {
		bits--
	}
	return math.MaxInt64 >> (63 - min(bits, 63))
}

// least returns the least value of a type of integers.
func least(t mlir.Type) int64 {
	if _, sign, _ := transform.Element(t).IntegerWidth(); sign == mlir.Unsigned {
		return 0
	}
	return -greatest(t) - 1
}

func isMadeBy(v mlir.Value, name string) bool { return v.IsResult() && v.Owner().Name() == name }

// bounds returns the least and the greatest start index of a slice, for each index. The greatest one is limited by the
// type of the indices.
func (e *emitter) bounds(indices, operand mlir.Value, indexed, sizes []int64, vector int64) (zero, last mlir.Value) {
	var list []string
	for _, d := range indexed {
		list = append(list, strconv.FormatInt(min(transform.Dims(operand)[d]-sizes[d], greatest(indices.Type())), 10))
	}
	t := transform.Must(e.Context.TensorType(transform.Element(indices.Type()), int64(len(indexed))))
	last = e.Constant(t, "["+strings.Join(list, ", ")+"]")
	shape := transform.Dims(indices)
	if vector == int64(len(shape)) {
		last = e.Reshape(last)
		return e.Zero(last.Type()), e.Broadcast(last, nil, shape...)
	}
	return e.Zero(transform.Must(e.Context.TensorType(transform.Element(indices.Type())))),
		e.Broadcast(last, []int64{vector}, shape...)
}

func (e *emitter) scatterAdd(
	operand, indices, updates mlir.Value, d stablehlo.ScatterDimensionNumbers, sorted, unique bool,
) mlir.Value {
	return e.Do(stablehlo.ScatterOp{
		Inputs: []mlir.Value{operand}, ScatterIndices: indices, Updates: []mlir.Value{updates},
		ScatterDimensionNumbers: d, IndicesAreSorted: sorted, UniqueIndices: unique,
		UpdateComputation: e.adder(operand),
	})
}

// expandScatter makes a scatter that subtracts one that adds.
func expandScatter(f *forward, op mlir.Operation) []mlir.Value {
	o, ok := stablehlo.AsScatter(op)
	if !ok || len(o.Inputs) != 1 || combiner(o.UpdateComputation) != "stablehlo.subtract" {
		return nil
	}
	if body := o.UpdateComputation.First(); body.First().Operand(0) != body.Argument(0) {
		return nil
	}
	return []mlir.Value{f.scatterAdd(op.Operand(0), op.Operand(1), f.neg(op.Operand(2)), o.ScatterDimensionNumbers,
		o.IndicesAreSorted, o.UniqueIndices)}
}

// jvpScatter is linear for a scatter that adds, and for one that sets unique elements. Of several
// updates of one element it finds the one that stayed.
func jvpScatter(f *forward, op mlir.Operation) {
	o, ok := stablehlo.AsScatter(op)
	if !ok || len(o.Inputs) != 1 {
		transform.Fail(op, "the derivative of a scatter of several arrays is not known: scatter them one by one")
	}
	operand, indices, updates := op.Operand(0), op.Operand(1), op.Operand(2)
	d := o.ScatterDimensionNumbers
	switch kind := combiner(o.UpdateComputation); {
	case kind == "stablehlo.add", kind == second && o.UniqueIndices:
		jointly(0, 2)(f, op)
	case kind == second:
		f.set(op.Result(0), f.scatterLast(op, o))
	case kind == "stablehlo.multiply":
		if g := f.tangent(operand); !g.IsNil() {
			f.set(op.Result(0), f.Clone(op, g, indices, updates).Result(0))
		}
		if g := f.tangent(updates); !g.IsNil() {
			if !o.UniqueIndices {
				transform.Fail(op, "a scatter that multiplies has a derivative with respect to its updates "+
					"only if its indices are unique: set unique_indices if they are")
			}
			sum := f.scatterAdd(f.Zero(operand.Type()), indices, g, d, o.IndicesAreSorted, true)
			f.accumulate(op.Result(0), f.mul(operand, sum))
		}
	case isExtreme(kind):
		f.set(op.Result(0), f.scatterExtreme(op, o))
	default:
		transform.Fail(op, "the derivative of a scatter is known if its update computation adds, subtracts, multiplies, returns the update, "+
			"or the greater or smaller one")
	}
}

// scatterExtreme returns the tangent of a scatter that keeps the greatest or smallest element. The element of the
// operand and the updates that are equal to the result share it.
func (f *forward) scatterExtreme(op mlir.Operation, o stablehlo.ScatterOp) mlir.Value {
	operand, indices, updates, y := op.Operand(0), op.Operand(1), op.Operand(2), op.Result(0)
	d := o.ScatterDimensionNumbers
	was := f.convert(f.Compare(stablehlo.CompareEQ, operand, y), y.Type())
	stayed := f.convert(f.Compare(stablehlo.CompareEQ, updates,
		f.gatherBack(y, indices, updates, d, o.IndicesAreSorted)), updates.Type())
	sum := func(of, updates mlir.Value) mlir.Value {
		return f.scatterAdd(of, indices, updates, d, o.IndicesAreSorted, o.UniqueIndices)
	}
	g := f.mul(f.full(operand), was)
	if t := f.tangent(updates); !t.IsNil() {
		g = sum(g, f.mul(t, stayed))
	}
	return f.div(g, sum(was, stayed))
}

// scatterLast returns the tangent of a scatter that sets elements, maybe several times. It scatters the
// numbers of the updates, and gathers them again to see which updates stayed.
func (f *forward) scatterLast(op mlir.Operation, o stablehlo.ScatterOp) mlir.Value {
	operand, indices, updates := op.Operand(0), op.Operand(1), op.Operand(2)
	d := o.ScatterDimensionNumbers
	i32 := f.Context.IntegerType(32, mlir.Signless)
	shape := slices.Clone(transform.Dims(updates))
	var places []int64
	n := int64(1)
	for i := range shape {
		if !slices.Contains(d.UpdateWindowDims, int64(i)) {
			places = append(places, int64(i))
			n *= shape[i]
		}
	}
	batch := make([]int64, len(places))
	for i, p := range places {
		batch[i] = shape[p]
	}
	numbers := f.add(f.Iota(i32, 0, n), f.Number(transform.Must(f.Context.TensorType(i32, n)), 1))
	numbers = f.Broadcast(f.Reshape(numbers, batch...), places, shape...)
	none := f.Zero(transform.Must(f.Context.TensorType(i32, transform.Dims(operand)...)))
	scattered := f.Do(stablehlo.ScatterOp{
		Inputs: []mlir.Value{none}, ScatterIndices: indices, Updates: []mlir.Value{numbers}, ScatterDimensionNumbers: d,
		IndicesAreSorted:  o.IndicesAreSorted,
		UpdateComputation: f.body(none.Type(), 2, func(_ *emitter, v []mlir.Value) mlir.Value { return v[1] }),
	})
	var result mlir.Value
	if g := f.tangent(updates); !g.IsNil() {
		stayed := f.Compare(stablehlo.CompareEQ, numbers,
			f.gatherBack(scattered, indices, updates, d, o.IndicesAreSorted))
		result = f.Select(stayed, g, f.Zero(g.Type()))
	}
	rest := f.Zero(operand.Type())
	if g := f.tangent(operand); !g.IsNil() {
		rest = f.Select(f.Compare(stablehlo.CompareEQ, scattered, none), g, rest)
	}
	if result.IsNil() {
		return rest
	}
	return f.scatterAdd(rest, indices, result, d, o.IndicesAreSorted, false)
}

// gatherBack gathers from x what a scatter with these updates would write.
func (e *emitter) gatherBack(
	x, indices, updates mlir.Value, d stablehlo.ScatterDimensionNumbers, sorted bool,
) mlir.Value {
	return e.Do(stablehlo.GatherOp{
		Operand: x, StartIndices: indices, SliceSizes: windowOf(x, updates, d), IndicesAreSorted: sorted,
		DimensionNumbers: stablehlo.GatherDimensionNumbers{
			OffsetDims: d.UpdateWindowDims, CollapsedSliceDims: d.InsertedWindowDims,
			OperandBatchingDims:      d.InputBatchingDims,
			StartIndicesBatchingDims: d.ScatterIndicesBatchingDims,
			StartIndexMap:            d.ScatterDimsToOperandDims, IndexVectorDim: d.IndexVectorDim,
		},
	})
}

// windowOf returns the size of the window of an update in each dimension of the operand.
func windowOf(operand, updates mlir.Value, d stablehlo.ScatterDimensionNumbers) []int64 {
	sizes, next := transform.Ones(transform.Rank(operand)), 0
	for i := range sizes {
		if !slices.Contains(d.InsertedWindowDims, int64(i)) && !slices.Contains(d.InputBatchingDims, int64(i)) {
			sizes[i] = transform.Dims(updates)[d.UpdateWindowDims[next]]
			next++
		}
	}
	return sizes
}

func transposeScatter(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsScatter(op)
	operand, indices, updates := op.Operand(0), op.Operand(1), op.Operand(2)
	d := o.ScatterDimensionNumbers
	kind := combiner(o.UpdateComputation)
	if kind == "stablehlo.multiply" {
		if b.linear[updates] {
			transform.Fail(op, "a scatter that multiplies is not linear in its updates")
		}
		b.to(op, 0, func(g mlir.Value) mlir.Value { return b.Clone(op, g, indices, updates).Result(0) })
		return
	}
	b.to(op, 0, func(g mlir.Value) mlir.Value {
		if kind == "stablehlo.add" {
			return g
		}
		return b.Clone(op, g, indices, b.Zero(updates.Type())).Result(0)
	})
	b.to(op, 2, func(g mlir.Value) mlir.Value {
		g = b.gatherBack(g, indices, updates, d, o.IndicesAreSorted)
		if isBounded(indices, operand, d.ScatterDimsToOperandDims, windowOf(operand, updates, d)) {
			return g
		}
		return b.Select(b.inBounds(indices, operand, updates, d), g, b.Zero(g.Type()))
	})
}

// inBounds reports for each element of the updates whether its update is in the bounds of the operand. Scatter
// leaves out the others.
func (e *emitter) inBounds(indices, operand, updates mlir.Value, d stablehlo.ScatterDimensionNumbers) mlir.Value {
	zero, last := e.bounds(indices, operand, d.ScatterDimsToOperandDims, windowOf(operand, updates, d),
		d.IndexVectorDim)
	zero = e.Broadcast(zero, nil, transform.Dims(indices)...)
	ok := e.Binary(stablehlo.And, e.Compare(stablehlo.CompareGE, indices, zero),
		e.Compare(stablehlo.CompareLE, indices, last))
	if d.IndexVectorDim < int64(transform.Rank(indices)) {
		all := transform.Must(e.Context.TensorType(e.Context.IntegerType(1, mlir.Signless)))
		ok = e.Do(stablehlo.ReduceOp{
			Inputs: []mlir.Value{ok}, InitValues: []mlir.Value{e.Number(all, 1)}, Dimensions: []int64{d.IndexVectorDim},
			Body: e.body(all, 2, func(e *emitter, v []mlir.Value) mlir.Value {
				return e.Binary(stablehlo.And, v[0], v[1])
			}),
		})
	}
	return e.Broadcast(ok, transform.Without(transform.Rank(updates), d.UpdateWindowDims...),
		transform.Dims(updates)...)
}

// jvpSort sorts the positions too, and gathers the tangents by them.
func jvpSort(f *forward, op mlir.Operation) {
	o, _ := stablehlo.AsSort(op)
	shape := transform.Dims(op.Operand(0))
	dimension := int64(len(shape) - 1)
	if o.Dimension != nil {
		dimension = *o.Dimension
	}
	if dimension < 0 {
		dimension += int64(len(shape))
	}
	i32 := f.Context.IntegerType(32, mlir.Signless)
	scalar := transform.Must(f.Context.TensorType(i32))
	var positions mlir.Value
	f.At(op, func() { positions = f.Iota(i32, dimension, shape...) })
	comparator := op.Region(0).First()
	comparator.AddArgument(scalar, op.Location())
	comparator.AddArgument(scalar, op.Location())
	operands := append(op.OperandValues(), positions)
	made := f.Remake(op, operands, mlir.TypesOf(operands))
	results := made.ResultValues()
	n := len(results) - 1
	transform.Replace(op.ResultValues(), results[:n])
	transform.Check(op.Erase())
	for i, v := range operands[:n] {
		if g := f.tangent(v); !g.IsNil() {
			f.set(results[i], f.takeAlong(g, results[n], dimension))
		}
	}
}

// takeAlong gathers the elements of x at positions along a dimension.
func (e *emitter) takeAlong(x, positions mlir.Value, dimension int64) mlir.Value {
	n := transform.Rank(x)
	if transform.Dims(x)[dimension] == 0 {
		return x
	}
	batch := transform.Without(n, dimension)
	return e.Do(stablehlo.GatherOp{
		Operand: x, StartIndices: e.Reshape(positions, append(slices.Clone(transform.Dims(positions)), 1)...),
		SliceSizes: transform.Ones(n),
		DimensionNumbers: stablehlo.GatherDimensionNumbers{
			CollapsedSliceDims: []int64{dimension}, StartIndexMap: []int64{dimension},
			OperandBatchingDims: batch, StartIndicesBatchingDims: batch, IndexVectorDim: int64(n),
		},
	})
}

// topK gathers the tangents of the greatest elements.
func topK(f *forward, op mlir.Operation) {
	g := f.operand(op, 0)
	f.set(op.Result(0), f.takeAlong(g, op.Result(1), int64(transform.Rank(g)-1)))
}
