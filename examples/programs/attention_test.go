package programs_test

import (
	"math"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// Causal attention with two heads: each position attends to itself and the positions before
// it.
func Example_attention() {
	softmax := func(x builder.Value) builder.Value { // along the last axis
		e := builder.Exp(builder.Sub(x, builder.ExpandDims(builder.ReduceMax(x, -1), -1)))
		return builder.Div(e, builder.ExpandDims(builder.ReduceSum(e, -1), -1))
	}
	attention := func(q, k, v builder.Value) builder.Value { // each [batch, heads, positions, features]
		n, features := q.Shape().Dims[2], q.Shape().Dims[3]
		scores := builder.Mul(builder.Einsum("bhqd,bhkd->bhqk", q, k), 1/math.Sqrt(float64(features)))
		square := tensor.ShapeOf(tensor.S32, n, n)
		seen := builder.Ge(builder.Iota(q.Func(), square, 0), builder.Iota(q.Func(), square, 1))
		scores = builder.Select(builder.BroadcastTo(seen, scores.Shape().Dims...), scores, math.Inf(-1))
		return builder.Einsum("bhqk,bhkd->bhqd", softmax(scores), v)
	}

	results := run(func(b *builder.Builder) {
		shape := tensor.ShapeOf(tensor.F32, 1, 2, 4, 3)
		f := b.Func("main", shape, shape, shape)
		f.Return(attention(f.Param(0), f.Param(1), f.Param(2)))
	}, bridge.CompileOptions{}, wave(0, 1, 2, 4, 3), wave(100, 1, 2, 4, 3), wave(200, 1, 2, 4, 3))
	show("attention", results[0])
	// Output:
	// attention f32[1,2,4,3]: -0.8733 -0.0619 0.8064 0.6086 0.1547 -0.4415 -0.7430 -0.1549 0.5756 0.6354 0.2356 -0.3808 -0.9983 -0.5878 0.3632 0.6050 0.4526 -0.1159 -0.7757 -0.5458 0.1859 0.5971 0.5177 -0.0377
}
