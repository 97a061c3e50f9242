// Attention computes causal attention with two heads: each position attends to itself and the positions before it.
// Then it computes the gradient of the sum of squares of what the heads return.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/tensor"
)

// attention takes three arrays [batch, heads, positions, features].
func attention(q, k, v builder.Value) builder.Value {
	n, features := q.Shape().Dims[2], q.Shape().Dims[3]
	scores := builder.Mul(builder.Einsum("bhqd,bhkd->bhqk", q, k), 1/math.Sqrt(float64(features)))
	square := tensor.ShapeOf(tensor.S32, n, n)
	seen := builder.Ge(builder.Iota(q.Func(), square, 0), builder.Iota(q.Func(), square, 1))
	scores = builder.Select(builder.BroadcastTo(seen, scores.Shape().Dims...), scores, math.Inf(-1))
	return builder.Einsum("bhqk,bhkd->bhqd", nn.Softmax(scores, -1), v)
}

type heads[T any] struct{ Y, Gradient T }

func main() {
	f := calliope.Func(func(q, k, v builder.Value) heads[builder.Value] {
		sum := func(q builder.Value) (value, y builder.Value) {
			y = attention(q, k, v)
			return builder.ReduceSum(builder.Square(y)), y
		}
		_, y, gradient := builder.ValueAndGradAux(sum)(q)
		return heads[builder.Value]{y, gradient}
	})
	defer f.Close()
	q, k, v := wave.Of(0, 1, 2, 4, 3), wave.Of(100, 1, 2, 4, 3), wave.Of(200, 1, 2, 4, 3)
	got, err := calliope.Call[heads[[][][][]float32]](context.Background(), f, q, k, v)
	if err != nil {
		log.Fatal(err)
	}
	for head, positions := range got.Y[0] {
		fmt.Printf("head %d %.4f\n", head, positions)
		fmt.Printf("gradient of its queries %.4f\n", got.Gradient[0][head])
	}
}
