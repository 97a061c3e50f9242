// Scan runs a recurrent network over a sequence: a loop that carries a state, reads one row of its input in each
// iteration and writes one row of its output.
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

type state struct{ I, Hidden, Outputs builder.Value }

// rnn takes inputs [steps, n] and weights [n, n].
func rnn(xs, w builder.Value) (last, all builder.Value) {
	steps, n := xs.Shape().Dims[0], xs.Shape().Dims[1]
	end := builder.While(state{
		I:       builder.Scalar(xs.Func(), int32(0)),
		Hidden:  builder.Zeros(xs.Func(), tensor.ShapeOf(tensor.F32, n)),
		Outputs: builder.ZerosLike(xs),
	}, func(s state) builder.Value {
		return builder.Lt(s.I, steps)
	}, func(s state) state {
		x := builder.DynamicIndex(xs, s.I, 0)
		hidden := builder.Tanh(builder.Add(builder.Dot(s.Hidden, w), x))
		return state{
			I:       builder.Add(s.I, 1),
			Hidden:  hidden,
			Outputs: builder.DynamicUpdateIndex(s.Outputs, hidden, s.I, 0),
		}
	}, builder.LoopOptions{})
	return end.Hidden, end.Outputs
}

func main() {
	f := calliope.Func(rnn)
	defer f.Close()
	got, err := calliope.Call[struct {
		Last []float32
		All  [][]float32
	}](context.Background(), f, wave.Of(0, 5, 3), wave.Of(60, 3, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("last %.4f\nall %.4f\n", got.Last, got.All)
}
