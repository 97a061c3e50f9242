package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// shapes has the operations that move elements to places that do not depend on values.
var shapes = map[string]rule{
	"stablehlo.reshape": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
		return b.Reshape(g, transform.Dims(op.Operand(0))...)
	}),
	"stablehlo.transpose": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
		o, _ := stablehlo.AsTranspose(op)
		return b.Transpose(g, inverse(o.Permutation))
	}),
	"stablehlo.reverse": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
		return b.Clone(op, g).Result(0)
	}),
	"stablehlo.broadcast_in_dim": same(transposeBroadcast),
	"stablehlo.slice":            same(transposeSlice),
	"stablehlo.pad":              {jvp: jointly(0, 1), multilinear: true, transpose: transposePad},
	"stablehlo.concatenate":      {jvp: jointly(), multilinear: true, transpose: transposeConcatenate},
}

// inverse returns the permutation that undoes another one.
func inverse(permutation []int64) []int64 {
	list := make([]int64, len(permutation))
	for i, p := range permutation {
		list[p] = int64(i)
	}
	return list
}

// transposeBroadcast adds up the elements that an element of the operand was copied to.
func transposeBroadcast(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
	o, _ := stablehlo.AsBroadcastInDim(op)
	from, to := transform.Dims(o.Operand), transform.Dims(g)
	over := transform.Without(len(to), o.BroadcastDimensions...)
	var kept []int64 // dimensions of the result, in the order of those of the operand
	for i, d := range o.BroadcastDimensions {
		if from[i] != to[d] {
			over = append(over, d)
		} else {
			kept = append(kept, d)
		}
	}
	slices.Sort(over)
	g = b.sum(g, over...)
	sorted := slices.Sorted(slices.Values(kept))
	permutation := make([]int64, len(kept))
	for i, d := range kept {
		permutation[i] = int64(slices.Index(sorted, d))
	}
	return b.Reshape(b.Transpose(g, permutation), from...)
}

func transposeSlice(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
	o, _ := stablehlo.AsSlice(op)
	from, to := transform.Dims(o.Operand), transform.Dims(g)
	high, interior := make([]int64, len(from)), make([]int64, len(from))
	for i, n := range to {
		if n == 0 {
			return b.Zero(o.Operand.Type())
		}
		interior[i] = o.Strides[i] - 1
		high[i] = from[i] - o.StartIndices[i] - (n-1)*o.Strides[i] - 1
	}
	return b.pad(g, o.StartIndices, high, interior)
}

// transposePad takes the operand's elements out of the cotangent. The others are the padding's.
func transposePad(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsPad(op)
	g := b.cotangent(op)
	if !b.linear[o.PaddingValue] {
		b.add(o.Operand, b.unpad(g, o.EdgePaddingLow, o.EdgePaddingHigh, o.InteriorPadding))
		return
	}
	all, mine := transform.UpTo(transform.Rank(g)), b.unpad(g, o.EdgePaddingLow, o.EdgePaddingHigh, o.InteriorPadding)
	b.add(o.Operand, mine)
	b.add(o.PaddingValue, b.sub(b.sum(g, all...), b.sum(mine, all...)))
}

// unpad takes the elements out of x that are not padding, with zeros for those that negative padding left
// out.
func (e *emitter) unpad(x mlir.Value, low, high, interior []int64) mlir.Value {
	none := make([]int64, len(low))
	negated := func(list []int64) []int64 {
		out := make([]int64, len(list))
		for i, n := range list {
			out[i] = -n
		}
		return out
	}
	if !slices.Equal(low, none) || !slices.Equal(high, none) {
		x = e.pad(x, negated(low), negated(high), none)
	}
	if slices.Equal(interior, none) {
		return x
	}
	strides := transform.Ones(len(interior))
	for i := range strides {
		strides[i] += interior[i]
	}
	return e.Slice(x, none, transform.Dims(x), strides)
}

func transposeConcatenate(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsConcatenate(op)
	g := b.cotangent(op)
	start, limit := make([]int64, transform.Rank(g)), slices.Clone(transform.Dims(g))
	limit[o.Dimension] = 0
	for _, v := range o.Inputs {
		start[o.Dimension] = limit[o.Dimension]
		limit[o.Dimension] += transform.Dims(v)[o.Dimension]
		if b.linear[v] {
			b.add(v, b.Slice(g, slices.Clone(start), slices.Clone(limit), transform.Ones(transform.Rank(g))))
		}
	}
}

// slicing has the operations that move elements to places that are values, as blocks.
var slicing = map[string]rule{
	"stablehlo.dynamic_slice": same(func(b *backward, op mlir.Operation, g mlir.Value) mlir.Value {
		o, _ := stablehlo.AsDynamicSlice(op)
		return b.Do(
			stablehlo.DynamicUpdateSliceOp{Operand: b.Zero(o.Operand.Type()), Update: g, StartIndices: o.StartIndices})
	}),
	"stablehlo.dynamic_update_slice": {
		jvp: jointly(0, 1), multilinear: true,
		transpose: func(b *backward, op mlir.Operation) {
			o, _ := stablehlo.AsDynamicUpdateSlice(op)
			b.to(op, 0, func(g mlir.Value) mlir.Value {
				return b.Do(stablehlo.DynamicUpdateSliceOp{Operand: g, Update: b.Zero(o.Update.Type()),
					StartIndices: o.StartIndices})
			})
			b.to(op, 1, func(g mlir.Value) mlir.Value {
				return b.Do(
					stablehlo.DynamicSliceOp{Operand: g, StartIndices: o.StartIndices,
						SliceSizes: transform.Dims(o.Update)})
			})
		},
	},
}
