// Quickstart runs a Go function on XLA that calls Go in its middle: cos, a Go function, sin.
package main

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
)

func main() {
	f := calliope.Func(func(x builder.Value) builder.Value {
		y := calliope.Passthrough(builder.Cos(x), func(_ context.Context, v []float32) error {
			fmt.Println("in Go:", v)
			return nil
		})
		return builder.Sin(y)
	})
	defer f.Close()
	y, err := calliope.Call[[]float32](context.Background(), f, []float32{0, 1, 2, 3})
	fmt.Println("sin(cos(x)):", y, err)
}
