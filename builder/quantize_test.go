package builder_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestQuantizedTypes builds a product of quantized matrices on every library with
// StableHLO.
func TestQuantizedTypes(t *testing.T) {
	for _, e := range mlirtest.Engines(t) {
		if e.Name == native.LLVM.String() {
			continue
		}
		b := builder.New(mlirtest.ContextOf(t, e.Library), builder.Options{})
		f := b.Func("main", f32(2, 3), f32(3, 4))
		x := builder.Quantize(f.Param(0),
			builder.Quantization{Storage: tensor.S8, Scales: []float64{0.5}, ZeroPoints: []int64{-3}})
		w := builder.Quantize(f.Param(1),
			builder.Quantization{Storage: tensor.S8, Scales: []float64{1, 2, 0.25, 0.5}, Axis: 1})
		sums := builder.Quantization{Storage: tensor.S32, Scales: []float64{0.5, 1, 0.125, 0.25}, Axis: 1}
		y := builder.DotGeneral(x, w, builder.DotOptions{Contract: [][2]int{{1, 0}}, Quantized: &sums})
		f.Return(builder.Dequantize(y))
		text := finish(t, b).String()
		for _, want := range []string{
			"tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:-3>>",
			"tensor<3x4x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00,2.500000e-01,5.000000e-01}>>",
			"tensor<2x4x!quant.uniform<i32:f32:1, {5.000000e-01,1.000000e+00,1.250000e-01,2.500000e-01}>>) -> tensor<2x4xf32>",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: there is no %s in\n%s", e.Name, want, text)
			}
		}
	}
}
