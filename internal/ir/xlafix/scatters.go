package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// KeepScatteredWindows rewrites scatters that XLA computes in another way than the specification says. XLA leaves out a
// window that is partly outside of the array, of which the specification leaves out the elements that are outside:
// KeepScatteredWindows scatters into an array with a margin. It knows windows that are never outside, because their
// indices are constants, or clamped as JAX does it. XLA does not compute scatters without indices: they get one, which
// is 0. An exact compile of an older plugin ends the process on an update without dimensions, which gets one. It
// returns the number of scatters that it rewrote.
func KeepScatteredWindows(m *mlir.Module) (int, error) {
	n := 0
	for op := range m.Operation().Index().Named("stablehlo.scatter") {
		o, ok := stablehlo.AsScatter(op)
		if !ok || !isStatic(op) {
			continue
		}
		if updates, _ := o.Updates[0].Type().NumElements(); updates == 0 { // an exact compile of it may never end
			for i, r := range op.ResultValues() {
				r.ReplaceAllUses(o.Inputs[i])
			}
			if err := op.Erase(); err != nil {
				return n, err
			}
			n++
			continue
		}
		margins := marginsOf(op, o)
		e, scalar := before(op), isScalar(o.Updates[0])
		as := func(v mlir.Value, _ mlir.Type) mlir.Value { return v }
		switch {
		case hasNoIndices(o):
			o = e.withIndex(o)
			as = func(v mlir.Value, t mlir.Type) mlir.Value { return stablehlo.Reshape(e.Builder, t, v) }
		case margins != nil:
			o = e.withMargins(o, margins)
			as = func(v mlir.Value, t mlir.Type) mlir.Value { return e.within(v, t, margins) }
		case !scalar:
			continue
		}
		if scalar {
			o = e.withUpdates(o)
		}
		if e.replaceScatter(op, o, as); e.Cause() != nil {
			return n, e.Cause()
		}
		n++
	}
	return n, nil
}

// replaceScatter replaces a scatter by another one, whose results are made those of the first.
func (e emitter) replaceScatter(
	op mlir.Operation, o stablehlo.ScatterOp, as func(v mlir.Value, t mlir.Type) mlir.Value,
) {
	o.ResultTypes = mlir.TypesOf(o.Inputs)
	body := e.Context().NewRegion()
	body.TakeBody(op.Region(0))
	o.UpdateComputation = body
	made := o.Create(e.Builder)
	if e.Cause() != nil {
		return
	}
	for i, r := range op.ResultValues() {
		v := as(made.Result(i), r.Type())
		if e.Cause() != nil {
			return
		}
		if op.NumResults() == 1 {
			rewrite.KeepSharding(op, v.Owner())
		}
		r.ReplaceAllUses(v)
	}
	e.Fail(op.Erase())
}

// hasNoIndices reports whether the windows of a scatter all begin at 0, because an index has no numbers.
func hasNoIndices(o stablehlo.ScatterOp) bool {
	return len(o.ScatterDimensionNumbers.ScatterDimsToOperandDims) == 0
}

// withUpdates adds a dimension of size 1 to the updates of a scatter that makes one of one element.
func (e emitter) withUpdates(o stablehlo.ScatterOp) stablehlo.ScatterOp {
	numbers, _ := o.ScatterIndices.Type().NumElements()
	reshaped := func(v mlir.Value, dims ...int) mlir.Value {
		return stablehlo.Reshape(e.Builder, e.Array(tensor.Shape{DType: e.Shape(v).DType, Dims: dims}), v)
	}
	o.ScatterIndices = reshaped(o.ScatterIndices, 1, int(numbers))
	o.ScatterDimensionNumbers.IndexVectorDim = 1
	o.Updates = slices.Clone(o.Updates)
	for i, v := range o.Updates {
		o.Updates[i] = reshaped(v, 1)
	}
	return o
}

// losesUpdates reports whether a scatter without indices makes more than one update. XLA makes one.
func losesUpdates(o stablehlo.ScatterOp) bool {
	if !hasNoIndices(o) {
		return false
	}
	n := int64(1)
	dims, _ := o.ScatterIndices.Type().Dims()
	for i, d := range dims {
		if int64(i) != o.ScatterDimensionNumbers.IndexVectorDim {
			n *= d
		}
	}
	return n > 1
}

// withIndex adds a dimension of size 1 to the inputs of a scatter without indices, and an index for it that is 0.
func (e emitter) withIndex(o stablehlo.ScatterOp) stablehlo.ScatterOp {
	d := &o.ScatterDimensionNumbers
	o.Inputs = slices.Clone(o.Inputs)
	for i, v := range o.Inputs {
		dims, _ := v.Type().Dims()
		element, _ := v.Type().Element()
		t, err := e.Context().TensorType(element, slices.Insert(slices.Clone(dims), 0, 1)...)
		e.Fail(err)
		o.Inputs[i] = stablehlo.Reshape(e.Builder, t, v)
	}
	dims, _ := o.ScatterIndices.Type().Dims()
	vector := d.IndexVectorDim
	dims = slices.Delete(slices.Clone(dims), int(vector), int(vector)+1)
	t, err := e.Context().TensorType(e.Context().IntegerType(32, mlir.Signless), dims...)
	if e.Fail(err); e.Cause() != nil {
		return o
	}
	o.ScatterIndices = e.Zeros(t)
	up := func(list []int64) []int64 {
		list = slices.Clone(list)
		for i := range list {
			list[i]++
		}
		return list
	}
	d.InsertedWindowDims = append([]int64{0}, up(d.InsertedWindowDims)...)
	d.InputBatchingDims = up(d.InputBatchingDims)
	d.ScatterDimsToOperandDims = []int64{0}
	d.IndexVectorDim = int64(len(dims))
	d.ScatterIndicesBatchingDims = slices.Clone(d.ScatterIndicesBatchingDims)
	for i, n := range d.ScatterIndicesBatchingDims {
		if n > vector {
			d.ScatterIndicesBatchingDims[i]--
		}
	}
	return o
}

// marginsOf returns for each dimension of the inputs how far a window may be outside and still have an element inside.
// It is nil if no window ever is.
func marginsOf(op mlir.Operation, o stablehlo.ScatterOp) []int64 {
	d := o.ScatterDimensionNumbers
	sizes, _ := o.Inputs[0].Type().Dims()
	updates, _ := o.Updates[0].Type().Dims()
	window := make([]int64, len(sizes)) // sizes
	next := 0
	for i := range sizes {
		window[i] = 1
		if !slices.Contains(d.InsertedWindowDims, int64(i)) && !slices.Contains(d.InputBatchingDims, int64(i)) {
			window[i] = updates[d.UpdateWindowDims[next]]
			next++
		}
	}
	vector := int(d.IndexVectorDim)
	if dims, _ := o.ScatterIndices.Type().Dims(); vector == len(dims) {
		vector = -1
	}
	var margins []int64
	for k, at := range d.ScatterDimsToOperandDims {
		if window[at] < 2 {
			continue
		}
		if r := rangeOf(o.ScatterIndices, vector, int64(k)); r.least >= 0 && r.most <= sizes[at]-window[at] {
			continue
		}
		if margins == nil {
			margins = make([]int64, len(sizes))
		}
		margins[at] = window[at] - 1
	}
	if margins != nil && cutsMargins(op, margins) {
		return nil
	}
	return margins
}

// cutsMargins reports whether all that uses the results of a scatter are slices without margins, as within makes them.
func cutsMargins(scatter mlir.Operation, margins []int64) bool {
	dims, _ := scatter.Result(0).Type().Dims()
	for _, r := range scatter.ResultValues() {
		for use := range r.Uses() {
			slice, ok := stablehlo.AsSlice(use.Owner)
			if !ok {
				return false
			}
			for i, m := range margins {
				if slice.StartIndices[i] < m || slice.LimitIndices[i] > dims[i]-m {
					return false
				}
			}
		}
	}
	return true
}

// withMargins adds margins to the inputs of a scatter, and to its indices.
func (e emitter) withMargins(o stablehlo.ScatterOp, margins []int64) stablehlo.ScatterOp {
	d := o.ScatterDimensionNumbers
	o.Inputs = slices.Clone(o.Inputs)
	for i, v := range o.Inputs {
		element, _ := v.Type().Element()
		t, err := e.Context().TensorType(element)
		if e.Fail(err); e.Cause() != nil {
			return o
		}
		o.Inputs[i] = stablehlo.Pad(e.Builder, v, e.Zeros(t), margins, margins, make([]int64, len(margins)))
	}
	wide, err := withElement(o.ScatterIndices.Type(), e.Context().IntegerType(64, mlir.Signless))
	if e.Fail(err); e.Cause() != nil {
		return o
	}
	if !wide.Equal(o.ScatterIndices.Type()) {
		o.ScatterIndices = stablehlo.Convert(e.Builder, wide, o.ScatterIndices)
	}
	shift := make([]int64, len(d.ScatterDimsToOperandDims))
	for k, at := range d.ScatterDimsToOperandDims {
		shift[k] = margins[at]
	}
	of := stablehlo.Constant(e.Builder, tensor.Vector(shift...))
	dims, _ := wide.Dims()
	if vector := d.IndexVectorDim; int(vector) < len(dims) {
		of = stablehlo.BroadcastInDim(e.Builder, wide, of, []int64{vector})
	} else {
		scalar, err := e.Context().TensorType(e.Context().IntegerType(64, mlir.Signless))
		e.Fail(err)
		of = stablehlo.BroadcastInDim(e.Builder, wide, stablehlo.Reshape(e.Builder, scalar, of), []int64{})
	}
	o.ScatterIndices = stablehlo.Add(e.Builder, o.ScatterIndices, of)
	return o
}

// within returns an array without its margins.
func (e emitter) within(v mlir.Value, t mlir.Type, margins []int64) mlir.Value {
	dims, _ := t.Dims()
	end, steps := slices.Clone(margins), make([]int64, len(margins))
	for i := range end {
		end[i] += dims[i]
		steps[i] = 1
	}
	return stablehlo.Slice(e.Builder, v, margins, end, steps)
}
