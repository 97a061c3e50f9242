// Random estimates the area of a circle from random points. Each call of Uniform01 takes a state and returns the state
// for the next one, so the same state gives the same numbers.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

func area(state builder.Value) (next, some, pi builder.Value) {
	const points = 10000
	state, x := builder.Uniform01(state, tensor.ShapeOf(tensor.F32, points))
	state, y := builder.Uniform01(state, tensor.ShapeOf(tensor.F32, points))
	inside := builder.Lt(builder.Add(builder.Square(x), builder.Square(y)), 1)
	pi = builder.Mul(builder.ReduceMean(builder.Convert(inside, tensor.F32)), 4)
	return state, builder.SliceAxis(x, 0, 0, 4), pi
}

func main() {
	f := calliope.Func(area)
	defer f.Close()
	got, err := calliope.Call[struct {
		State []uint64
		X     []float32
		Pi    float32
	}](context.Background(), f, []uint64{42, 7})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("state %d\nx %.4f\npi %.4f\n", got.State, got.X, got.Pi)
}
