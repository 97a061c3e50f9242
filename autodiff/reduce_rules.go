package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// reductions has reduce.
var reductions = map[string]rule{
	"stablehlo.reduce": {jvp: jvpReduce, transpose: transposeReduce, vjp: vjpReduce, expand: expandReduce},
}

// extremes are the reductions that choose an element: by which comparison, and the sign of the infinity
// that they start with.
var extremes = map[string]struct {
	by   stablehlo.ComparisonDirection
	sign int
}{
	"stablehlo.maximum": {stablehlo.CompareGE, -1},
	"stablehlo.minimum": {stablehlo.CompareLE, +1},
}

// isExtreme reports whether a combiner chooses an element.
func isExtreme(combiner string) bool {
	_, ok := extremes[combiner]
	return ok
}

// expandReduce replaces a reduction that neither adds nor chooses by one that halves the elements.
func expandReduce(f *forward, op mlir.Operation) []mlir.Value {
	o, ok := stablehlo.AsReduce(op)
	kind := combiner(o.Body)
	if !ok || isExtreme(kind) || kind == "stablehlo.add" {
		return nil
	}
	shape := transform.Dims(o.Inputs[0])
	kept := transform.Without(len(shape), o.Dimensions...)
	rest, n := []int64{}, int64(1)
	for i, size := range shape {
		if slices.Contains(kept, int64(i)) {
			rest = append(rest, size)
		} else {
			n *= size
		}
	}
	var arrays []mlir.Value
	for _, v := range o.Inputs {
		moved := f.Transpose(v, append(slices.Clone(o.Dimensions), kept...))
		arrays = append(arrays, f.Reshape(moved, append([]int64{n}, rest...)...))
	}
	return f.reduceAll(op, o.Body, arrays, o.InitValues)
}

func jvpReduce(f *forward, op mlir.Operation) {
	o, _ := stablehlo.AsReduce(op)
	x, initial, y := op.Operand(0), op.Operand(1), op.Result(0)
	kind := combiner(o.Body)
	if kind == "stablehlo.add" {
		jointly(0, 1)(f, op)
		return
	}
	// The elements that are the result share its tangent.
	kept := transform.Without(transform.Rank(x), o.Dimensions...)
	chosen := f.convert(f.Compare(stablehlo.CompareEQ, x, f.Broadcast(y, kept, transform.Dims(x)...)), x.Type())
	count := f.sum(chosen, o.Dimensions...)
	var g mlir.Value
	if t := f.tangent(x); !t.IsNil() {
		g = f.sum(f.mul(t, chosen), o.Dimensions...)
	}
	if !isInfinite(initial, extremes[kind].sign) {
		start := f.Broadcast(initial, nil, transform.Dims(y)...)
		mine := f.convert(f.Compare(stablehlo.CompareEQ, start, y), y.Type())
		count = f.add(count, mine)
		if t := f.tangent(initial); !t.IsNil() {
			g = f.add(g, f.mul(f.Broadcast(t, nil, transform.Dims(y)...), mine))
		}
	}
	if !g.IsNil() {
		f.set(y, f.div(g, count))
	}
}

func vjpReduce(b *backward, op mlir.Operation) {
	if o, _ := stablehlo.AsReduce(op); combiner(o.Body) == "stablehlo.add" {
		transposeReduce(b, op)
	} else {
		b.linearize(op)
	}
}

// transposeReduce copies the cotangent of a sum to the elements that were added.
func transposeReduce(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsReduce(op)
	if len(o.Inputs) != 1 || combiner(o.Body) != "stablehlo.add" {
		transform.Fail(op, "it cannot be transposed, because it is not a sum")
	}
	b.to(op, 0, func(g mlir.Value) mlir.Value {
		return b.Broadcast(g, transform.Without(transform.Rank(o.Inputs[0]), o.Dimensions...),
			transform.Dims(o.Inputs[0])...)
	})
	b.to(op, 1, func(g mlir.Value) mlir.Value { return b.sum(g, transform.UpTo(transform.Rank(g))...) })
}
