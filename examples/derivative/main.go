// Derivative trains a model that only Go can compute. The model is a call of a Go function. Its derivative is a call of
// another one, which the gradient of the loss makes. The first gradient is compared with finite differences.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/optim"
)

// decay is a model that XLA does not see: the height p[0]·exp(-p[1]·t) at each time.
func decay(p, t []float64) []float64 {
	y := make([]float64, len(t))
	for i := range t {
		y[i] = p[0] * math.Exp(-p[1]*t[i])
	}
	return y
}

// pullBack is the derivative of decay, written by hand: it takes the derivative of a loss by each height, and returns
// that by each parameter.
func pullBack(p, t, dy []float64) []float64 {
	dp := make([]float64, len(p))
	for i := range t {
		e := math.Exp(-p[1] * t[i])
		dp[0] += dy[i] * e
		dp[1] -= dy[i] * p[0] * t[i] * e
	}
	return dp
}

type (
	point[T any]   struct{ P, T T }     // the arguments of decay
	tangent[T any] struct{ P, T, DY T } // the arguments of pullBack
)

type results struct{ Gradient, ByHeight, ByRate, Loss, Trained builder.Value }

func train(p, t, want builder.Value) results {
	forward := func(p builder.Value) builder.Value {
		return calliope.PureCall(builder.Like(t.Shape()), point[builder.Value]{p, t},
			func(_ context.Context, in point[[]float64]) ([]float64, error) { return decay(in.P, in.T), nil })
	}
	model := builder.CustomVJP(forward,
		func(p builder.Value) (y, residuals builder.Value) { return forward(p), p },
		func(p, dy builder.Value) (dp builder.Value) {
			return calliope.PureCall(builder.Like(p.Shape()), tangent[builder.Value]{p, t, dy},
				func(_ context.Context, in tangent[[]float64]) ([]float64, error) {
					return pullBack(in.P, in.T, in.DY), nil
				})
		})
	loss := func(p builder.Value) builder.Value {
		return builder.ReduceMean(builder.Square(builder.Sub(model(p), want)))
	}
	gradient := builder.Grad(loss)
	// slope is the finite difference of the loss along a direction.
	const h = 1e-4
	slope := func(direction ...float64) builder.Value {
		d := builder.Mul(builder.Const(p.Func(), direction, 2), h)
		return builder.Div(builder.Sub(loss(builder.Add(p, d)), loss(builder.Sub(p, d))), 2*h)
	}
	trained := builder.Loop(builder.Scalar(p.Func(), int32(500)), p, func(_, p builder.Value) builder.Value {
		return optim.SGD(0.2, p, gradient(p))
	}, builder.LoopOptions{})
	return results{gradient(p), slope(1, 0), slope(0, 1), loss(trained), trained}
}

func main() {
	f := calliope.Func(train)
	defer f.Close()
	times := []float64{0, 0.5, 1, 1.5, 2, 2.5}
	got, err := calliope.Call[struct {
		Gradient               []float64
		ByHeight, ByRate, Loss float64
		Trained                []float64
	}](context.Background(), f, []float64{1, 1}, times, decay([]float64{2, 0.5}, times))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("gradient %.4f\n", got.Gradient)
	fmt.Printf("by the height %.4f\n", got.ByHeight)
	fmt.Printf("by the rate %.4f\n", got.ByRate)
	fmt.Printf("loss %.4f\n", got.Loss)
	fmt.Printf("trained %.4f\n", got.Trained)
}
