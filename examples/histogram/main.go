// Histogram counts numbers: ones are added at the indices of their bins.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/tensor"
)

func histogram(x builder.Value) builder.Value {
	const low, high, bins = -1, 1, 8
	bin := builder.Floor(builder.Mul(builder.Sub(x, low), float64(bins)/(high-low)))
	bin = builder.Convert(builder.Clamp(0, bin, bins-1), tensor.S32)
	counts := builder.Zeros(x.Func(), tensor.ShapeOf(tensor.S32, bins))
	return builder.ScatterAdd(counts, bin, builder.OnesLike(bin), builder.ScatterOptions{})
}

func main() {
	f := calliope.Func(histogram)
	defer f.Close()
	counts, err := calliope.Call[[]int32](context.Background(), f, wave.Of(0, 100))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("counts", counts)
}
