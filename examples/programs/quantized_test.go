package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A matrix product of quantized types: 8-bit integers, with one scale for x and one for
// each column of w. The sums are 32-bit integers. XLA's compiler for the CPU has no
// quantized types, so passes of StableHLO first convert them to integers with scales.
func Example_quantized() {
	const pipeline = "builtin.module(func.func(stablehlo-legalize-quant-to-math,chlo-legalize-to-stablehlo),canonicalize)"

	xScale, wScales := 1.0/128, []float64{1.0 / 128, 1.0 / 64, 1.0 / 256}
	sumScales := make([]float64, len(wScales))
	for i, w := range wScales {
		sumScales[i] = xScale * w
	}
	results := runPasses(mlir.OpenOptions{}, pipeline, func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 2, 16), tensor.ShapeOf(tensor.F32, 16, 3))
		x := builder.Quantize(f.Param(0), builder.Quantization{Storage: tensor.S8, Scales: []float64{xScale}})
		w := builder.Quantize(f.Param(1), builder.Quantization{Storage: tensor.S8, Scales: wScales, Axis: 1})
		y := builder.DotGeneral(x, w, builder.DotOptions{
			Contract:  [][2]int{{1, 0}},
			Quantized: &builder.Quantization{Storage: tensor.S32, Scales: sumScales, Axis: 1},
		})
		f.Return(builder.Dequantize(y), builder.Dot(f.Param(0), f.Param(1)))
	}, bridge.CompileOptions{}, wave(0, 2, 16), wave(70, 16, 3))
	show("quantized", results[0])
	show("exact", results[1])
	// Output:
	// quantized f32[2,3]: -0.0917 -0.2064 -0.1066 0.1093 0.1067 0.0080
	// exact f32[2,3]: -0.0931 -0.2048 -0.1283 0.1247 0.1112 -0.0045
}
