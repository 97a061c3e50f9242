package autodiff

import (
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// windows has the reductions of windows.
var windows = map[string]rule{
	"stablehlo.reduce_window":      {jvp: jvpWindow, transpose: transposeWindow, expand: expandWindow},
	"stablehlo.select_and_scatter": {jvp: jvpSelect, transpose: transposeSelect},
}

// chosenBy is the attribute of a reduce_window that returns, for each window, the element of its second
// operand that stands where the first operand has its maximum or minimum. It is linear in the second
// operand. The value is the comparison.
const chosenBy = "calliope.autodiff.chosen_by"

// maxWindow is the largest number of elements of a window that expandWindow takes apart.
const maxWindow = 1024

// expandWindow replaces a reduction of windows that neither adds nor chooses by one of arrays, one for
// each place in the window.
func expandWindow(f *forward, op mlir.Operation) []mlir.Value {
	o, _ := stablehlo.AsReduceWindow(op)
	kind := combiner(o.Body)
	_, extreme := extremes[kind]
	_, linear := op.Attribute(chosenBy)
	switch dimension, reversed := cumulative(o); {
	case linear, kind == "stablehlo.add":
		return nil
	case dimension >= 0:
		return []mlir.Value{f.scanAlong(op, o, dimension, reversed)}
	case extreme:
		return nil
	}
	places := int64(1)
	for _, n := range o.WindowDimensions {
		places *= n
	}
	if places > maxWindow {
		transform.Fail(op, "the derivative of a reduction of windows of %d elements is known "+
			"only for sums, maxima and minima", places)
	}
	n := len(o.WindowDimensions)
	strides, base, dilation := orOnes(o.WindowStrides, n), orOnes(o.BaseDilations, n), orOnes(o.WindowDilations, n)
	shape := transform.Dims(op.Result(0))
	var arrays []mlir.Value
	for k, x := range o.Inputs {
		low, high, interior := make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range n {
			interior[i] = base[i] - 1
			if o.Padding != nil {
				low[i], high[i] = o.Padding[i][0], o.Padding[i][1]
			}
		}
		x = f.Do(stablehlo.PadOp{
			Operand: x, PaddingValue: o.InitValues[k],
			EdgePaddingLow: low, EdgePaddingHigh: high, InteriorPadding: interior,
		})
		var parts []mlir.Value
		for place := range places {
			start, limit, rest := make([]int64, n), make([]int64, n), place
			for i := n - 1; i >= 0; i-- {
				start[i] = rest % o.WindowDimensions[i] * dilation[i]
				limit[i] = start[i] + (shape[i]-1)*strides[i] + 1
				rest /= o.WindowDimensions[i]
			}
			parts = append(parts, f.Reshape(f.Slice(x, start, limit, strides), append([]int64{1}, shape...)...))
		}
		arrays = append(arrays, f.concatenate(parts...))
	}
	return f.reduceAll(op, o.Body, arrays, o.InitValues)
}

// cumulative returns the dimension along which each window has all elements up to its own, or from it on, or -1.
func cumulative(o stablehlo.ReduceWindowOp) (dimension int64, reversed bool) {
	dimension = -1
	if len(o.Inputs) != 1 || o.Padding == nil || !isIdentity(o.Body, o.InitValues[0]) {
		return dimension, false
	}
	for _, list := range [][]int64{o.WindowStrides, o.BaseDilations, o.WindowDilations} {
		if slices.ContainsFunc(list, func(n int64) bool { return n != 1 }) {
			return dimension, false
		}
	}
	for i, n := range transform.Dims(o.Inputs[0]) {
		switch low, high := o.Padding[i][0], o.Padding[i][1]; {
		case o.WindowDimensions[i] == 1 && low == 0 && high == 0:
		case dimension < 0 && n == o.WindowDimensions[i] && min(low, high) == 0 && max(low, high) == n-1:
			dimension, reversed = int64(i), high > 0
		default:
			return -1, false
		}
	}
	return dimension, reversed
}

// scanAlong returns the combinations of all elements up to each one along a dimension, or from it on.
func (f *forward) scanAlong(op mlir.Operation, o stablehlo.ReduceWindowOp, dimension int64, reversed bool) mlir.Value {
	flip := func(x mlir.Value) mlir.Value {
		if reversed {
			return f.Do(stablehlo.ReverseOp{Operand: x, Dimensions: []int64{0}})
		}
		return x
	}
	order := append([]int64{dimension}, transform.Without(transform.Rank(o.Inputs[0]), dimension)...)
	x := f.scan(op, o.Body.First(), flip(f.Transpose(o.Inputs[0], order)))
	return f.Transpose(flip(x), inverse(order))
}

func jvpWindow(f *forward, op mlir.Operation) {
	o, _ := stablehlo.AsReduceWindow(op)
	if _, ok := op.Attribute(chosenBy); ok {
		if g := f.operand(op, 1); !g.IsNil() {
			f.set(op.Result(1), f.Clone(op, op.Operand(0), g, op.Operand(2), op.Operand(3)).Result(1))
		}
		return
	}
	kind := combiner(o.Body)
	if kind == "stablehlo.add" { // of the elements and the initial value, which is the padding too
		f.set(op.Result(0), f.Clone(op, f.full(op.Operand(0)), f.full(op.Operand(1))).Result(0))
		return
	}
	x, initial, y := op.Operand(0), op.Operand(1), op.Result(0)
	g := f.operand(op, 0)
	if isInfinite(initial, extremes[kind].sign) && f.tangent(initial).IsNil() {
		f.set(y, f.chooseInWindows(o, x, g, extremes[kind].by))
		return
	}
	// Where the elements are not the result, the initial value is. They share a tie.
	none := f.Number(initial.Type(), worst(extremes[kind].by))
	best := f.Clone(op, x, none).Result(0)
	start := f.Broadcast(initial, nil, transform.Dims(y)...)
	share := f.Select(f.Compare(stablehlo.CompareEQ, start, y), f.like(y, 0), f.like(y, 1))
	share = f.Select(f.Compare(stablehlo.CompareEQ, start, best), f.like(y, 0.5), share)
	if !g.IsNil() {
		f.set(y, f.mul(share, f.chooseInWindows(o, x, g, extremes[kind].by)))
	}
	if t := f.tangent(initial); !t.IsNil() {
		f.accumulate(y, f.mul(f.Broadcast(t, nil, transform.Dims(y)...), f.sub(f.like(y, 1), share)))
	}
}

// chooseInWindows returns for each window of x the element of g where x has its maximum or minimum.
func (e *emitter) chooseInWindows(
	o stablehlo.ReduceWindowOp, x, g mlir.Value, by stablehlo.ComparisonDirection,
) mlir.Value {
	scalar := transform.Must(e.Context.TensorType(transform.Element(x.Type())))
	region, b := e.Region(scalar, scalar, scalar, scalar)
	inner := e.Within(b.Terminator())
	first := inner.Compare(by, b.Argument(0), b.Argument(2))
	b.Terminator().SetOperands(
		inner.Select(first, b.Argument(0), b.Argument(2)), inner.Select(first, b.Argument(1), b.Argument(3)))
	o.Inputs = []mlir.Value{x, g}
	o.InitValues = []mlir.Value{e.Number(scalar, worst(by)), e.Zero(scalar)}
	o.Body = region
	o.ResultTypes = nil
	op := e.Op(o)
	op.SetAttribute(chosenBy, e.Context.StringAttribute(string(by)))
	return op.Result(1)
}

// transposeWindow gives the elements of a sum the cotangents of the windows that they are in, and those of
// a choice to the elements that were chosen.
func transposeWindow(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsReduceWindow(op)
	x := op.Operand(0)
	n := transform.Rank(x)
	strides, base, dilation := orOnes(o.WindowStrides, n), orOnes(o.BaseDilations, n), orOnes(o.WindowDilations, n)
	if a, ok := op.Attribute(chosenBy); ok {
		g := b.cotangents[op.Result(1)]
		by, _ := a.Text()
		for _, d := range dilation {
			if d != 1 {
				transform.Fail(op, "the reverse derivative of a maximum or minimum of dilated windows is not known")
			}
		}
		b.add(op.Operand(1), b.scatterChosen(o, x, g, stablehlo.ComparisonDirection(by), base))
		return
	}
	g := b.cotangent(op)
	b.to(op, 1, func(g mlir.Value) mlir.Value { // once for each window and for what is padding in it
		times := b.Clone(op, b.Zero(x.Type()), b.Number(op.Operand(1).Type(), 1)).Result(0)
		return b.sum(b.mul(g, times), transform.UpTo(n)...)
	})
	if !b.linear[x] {
		return
	}
	low, high, interior := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range n {
		w := window{
			in: transform.Dims(x)[i], size: o.WindowDimensions[i], out: transform.Dims(g)[i],
			stride: strides[i], inDilation: base[i], dilation: dilation[i],
		}
		if o.Padding != nil {
			w.low = o.Padding[i][0]
		}
		padding := w.transposed()
		low[i], high[i], interior[i] = padding[0], padding[1], strides[i]-1
	}
	// In the windows themselves, the padding of a cumulative sum is one that XLA recognizes: it then takes n steps, and
	// not n².
	var padding [][2]int64
	if slices.Min(slices.Concat(low, high, interior, []int64{0})) == 0 && slices.Max(append(interior, 0)) == 0 {
		for i := range n {
			padding = append(padding, [2]int64{low[i], high[i]})
		}
	} else {
		g = b.pad(g, low, high, interior)
	}
	b.add(x, b.Do(stablehlo.ReduceWindowOp{
		Inputs: []mlir.Value{g}, InitValues: []mlir.Value{b.scalarZero(g)}, WindowDimensions: o.WindowDimensions,
		WindowStrides: base, WindowDilations: dilation, Padding: padding, Body: b.adder(g),
	}))
}

// scatterChosen adds, for each window of x, the element of g to the place where x has its maximum or minimum.
func (e *emitter) scatterChosen(
	o stablehlo.ReduceWindowOp, x, g mlir.Value, by stablehlo.ComparisonDirection, base []int64,
) mlir.Value {
	n := transform.Rank(x)
	low, high, interior := make([]int64, n), make([]int64, n), make([]int64, n)
	padded := false
	for i := range n {
		if o.Padding != nil {
			low[i], high[i] = o.Padding[i][0], o.Padding[i][1]
		}
		interior[i] = base[i] - 1
		padded = padded || low[i] != 0 || high[i] != 0 || interior[i] != 0
	}
	scalar := transform.Must(e.Context.TensorType(transform.Element(x.Type())))
	if padded { // XLA's CPU compiler has defects in the padding of select_and_scatter
		x = e.Do(stablehlo.PadOp{
			Operand: x, PaddingValue: e.Number(scalar, worst(by)),
			EdgePaddingLow: low, EdgePaddingHigh: high, InteriorPadding: interior,
		})
	}
	x = e.Do(stablehlo.SelectAndScatterOp{
		Operand: x, Source: g, InitValue: e.Zero(scalar),
		WindowDimensions: o.WindowDimensions, WindowStrides: o.WindowStrides,
		Select:  e.body(scalar, 2, func(e *emitter, v []mlir.Value) mlir.Value { return e.Compare(by, v[0], v[1]) }),
		Scatter: e.adder(x),
	})
	return e.unpad(x, low, high, interior)
}

// worst returns the value that a choice by a comparison takes only if there is no other.
func worst(by stablehlo.ComparisonDirection) float64 {
	if by == stablehlo.CompareGE || by == stablehlo.CompareGT {
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// selection returns by which comparison a select_and_scatter chooses.
func selection(op mlir.Operation) (o stablehlo.SelectAndScatterOp, by stablehlo.ComparisonDirection) {
	o, ok := stablehlo.AsSelectAndScatter(op)
	if !ok || combiner(o.Select) != "stablehlo.compare" || combiner(o.Scatter) != "stablehlo.add" {
		transform.Fail(op, "the derivative of a select_and_scatter is known if it selects by a comparison and adds")
	}
	c, _ := stablehlo.AsCompare(o.Select.First().First())
	by = c.ComparisonDirection
	if c.LHS != o.Select.First().Argument(0) {
		by = mirrored[by]
	}
	if mirrored[by] == by {
		transform.Fail(op, "the derivative of a select_and_scatter is known if it selects the greater or the less")
	}
	return o, by
}

// jvpSelect is linear in the source and the initial value. Where the operand has its maximum does not change.
func jvpSelect(f *forward, op mlir.Operation) {
	selection(op)
	jointly(1, 2)(f, op)
}

func transposeSelect(b *backward, op mlir.Operation) {
	o, by := selection(op)
	b.to(op, 1, func(g mlir.Value) mlir.Value {
		return b.chooseInWindows(stablehlo.ReduceWindowOp{
			WindowDimensions: o.WindowDimensions, WindowStrides: o.WindowStrides, Padding: o.Padding,
		}, op.Operand(0), g, by)
	})
	b.to(op, 2, func(g mlir.Value) mlir.Value { return b.sum(g, transform.UpTo(transform.Rank(g))...) })
}
