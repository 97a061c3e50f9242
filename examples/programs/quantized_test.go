package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// A matrix product of 8-bit integers, each row of x and each column of w with a scale of
// its own. Scales are values here and not quantized types, of which XLA's compiler for
// the CPU translates none ("op can't be translated to XLA HLO").
func Example_quantized() {
	// quantize gives integers and the scale that makes them x again, along an axis.
	quantize := func(x builder.Value, axis int) (q, scale builder.Value) {
		scale = builder.ExpandDims(builder.Div(builder.ReduceMax(builder.Abs(x), axis), 127), axis)
		return builder.Convert(builder.Round(builder.Div(x, scale)), tensor.S8), scale
	}

	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 2, 16), tensor.ShapeOf(tensor.F32, 16, 3))
		x, xScale := quantize(f.Param(0), 1)
		w, wScale := quantize(f.Param(1), 0)
		sums := builder.DotGeneral(x, w, builder.DotOptions{Contract: [][2]int{{1, 0}}, Result: tensor.S32})
		y := builder.Mul(builder.Mul(builder.Convert(sums, tensor.F32), xScale), wScale)
		f.Return(sums, y, builder.Dot(f.Param(0), f.Param(1)))
	}, bridge.CompileOptions{}, wave(0, 2, 16), wave(70, 16, 3))
	for i, name := range []string{"sums", "quantized", "exact"} {
		show(name, results[i])
	}
	// Output:
	// sums s32[2,3]: -1761 -3068 -1966 2200 1718 25
	// quantized f32[2,3]: -0.1032 -0.1901 -0.1218 0.1274 0.1052 0.0015
	// exact f32[2,3]: -0.0931 -0.2048 -0.1283 0.1247 0.1112 -0.0045
}
