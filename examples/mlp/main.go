// Mlp trains a network with two layers for ten steps of gradient descent, in a loop on the device. The parameters are
// a struct: of values while the program is built, and of arrays when it runs.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/optim"
	"github.com/calliope-mlir/calliope/tensor"
)

type params[T any] struct{ W1, B1, W2, B2 T }

// loss is the mean squared error.
func loss(p params[builder.Value], x, want builder.Value) builder.Value {
	hidden := builder.Tanh(builder.Add(builder.Dot(x, p.W1), builder.ExpandDims(p.B1, 0)))
	y := builder.Add(builder.Dot(hidden, p.W2), builder.ExpandDims(p.B2, 0))
	return builder.ReduceMean(builder.Square(builder.Sub(y, want)))
}

func main() {
	type values = params[builder.Value]
	train := calliope.Func(func(p values, x, want builder.Value) (last builder.Value, trained values) {
		lossOf := func(p values) builder.Value { return loss(p, x, want) }
		p = builder.Loop(builder.Scalar(x.Func(), int32(10)), p, func(_ builder.Value, p values) values {
			return optim.SGD(0.1, p, builder.Grad(lossOf)(p))
		}, builder.LoopOptions{})
		return lossOf(p), p
	})
	defer train.Close()

	initial := params[tensor.View]{wave.Of(10, 3, 4), wave.Of(20, 4), wave.Of(30, 4, 1), wave.Of(50, 1)}
	got, err := calliope.Call[struct {
		Loss    float32
		Trained params[tensor.Array[float32]]
	}](context.Background(), train, initial, wave.Of(0, 8, 3), wave.Of(40, 8, 1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("loss %.4f\n", got.Loss)
	fmt.Printf("w1 %.4f\n", got.Trained.W1.Data)
	fmt.Printf("b1 %.4f\n", got.Trained.B1.Data)
	fmt.Printf("w2 %.4f\n", got.Trained.W2.Data)
	fmt.Printf("b2 %.4f\n", got.Trained.B2.Data)
}
