// Quantized multiplies matrices of quantized types: 8-bit integers, with one scale for x and one for each column of w.
// The sums are 32-bit integers. XLA's compiler for the CPU has no quantized types: it gets integers and scales.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// product returns the product of quantized x and w, and the exact one.
func product(x, w builder.Value) (quantized, exact builder.Value) {
	xScale, wScales := 1.0/128, []float64{1.0 / 128, 1.0 / 64, 1.0 / 256}
	sumScales := make([]float64, len(wScales))
	for i, w := range wScales {
		sumScales[i] = xScale * w
	}
	qx := builder.Quantize(x, builder.Quantization{Storage: tensor.S8, Scales: []float64{xScale}})
	qw := builder.Quantize(w, builder.Quantization{Storage: tensor.S8, Scales: wScales, Axis: 1})
	y := builder.DotGeneral(qx, qw, builder.DotOptions{
		Contract:  [][2]int{{1, 0}},
		Quantized: &builder.Quantization{Storage: tensor.S32, Scales: sumScales, Axis: 1},
	})
	return builder.Dequantize(y), builder.Dot(x, w)
}

func main() {
	ctx := context.Background()
	x, w := wave.Of(0, 2, 16), wave.Of(70, 16, 3)
	f := calliope.Func(product)
	defer f.Close()
	module := must(f.Module(ctx, x, w))
	defer module.Close()
	session := must(calliope.Default(ctx))
	executable := must(stages.Compile(ctx, module, stages.Options{Devices: stages.On(session.Engine())}))
	defer executable.Close()
	results := must(executable.Call(ctx, x, w))
	for i, name := range []string{"quantized", "exact"} {
		fmt.Printf("%s %.4f\n", name, must(tensor.Slice[float32](results[i])))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
