// Convolution computes a convolution with stride two, a nonlinearity, and the maximum of squares of two by two, and
// the gradient of the sum of these with respect to the kernel.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/nn"
)

// layer takes images [batch, height, width, channels] and a kernel [height, width, channels, features].
func layer(x, kernel builder.Value) builder.Value {
	x = nn.Relu(builder.Conv(x, kernel, builder.ConvOptions{Strides: []int{2, 2}, Same: true}))
	return builder.MaxPool(x, builder.WindowOptions{Dims: []int{1, 2, 2, 1}, Strides: []int{1, 2, 2, 1}})
}

type results[T any] struct{ Pooled, Gradient T }

func main() {
	f := calliope.Func(func(x, kernel builder.Value) results[builder.Value] {
		sum := func(kernel builder.Value) builder.Value { return builder.ReduceSum(layer(x, kernel)) }
		return results[builder.Value]{layer(x, kernel), builder.Grad(sum)(kernel)}
	})
	defer f.Close()
	got, err := calliope.Call[results[[][][][]float32]](context.Background(), f, wave.Of(0, 1, 8, 8, 2),
		wave.Of(300, 3, 3, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("pooled %.4f\n", got.Pooled)
	fmt.Printf("gradient %.4f\n", got.Gradient)
}
