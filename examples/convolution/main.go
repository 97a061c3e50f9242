// Convolution computes a convolution with stride two, a nonlinearity, and the maximum of squares of two by two.
package main

import (
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

func main() {
	f := calliope.Func(layer)
	defer f.Close()
	y, err := calliope.Call[[][][][]float32](f, wave.Of(0, 1, 8, 8, 2), wave.Of(300, 3, 3, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("pooled %.4f\n", y)
}
