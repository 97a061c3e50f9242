package programs_test

import (
	"context"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// decay is a model that XLA does not see: the height p[0]·exp(-p[1]·t) at each time.
func decay(p, t []float64) []float64 {
	y := make([]float64, len(t))
	for i := range t {
		y[i] = p[0] * math.Exp(-p[1]*t[i])
	}
	return y
}

// pullBack is the derivative of decay, written by hand: it takes the derivative of a loss by each
// height, and returns that by each parameter.
func pullBack(p, t, dy []float64) []float64 {
	dp := make([]float64, len(p))
	for i := range t {
		e := math.Exp(-p[1] * t[i])
		dp[0] += dy[i] * e
		dp[1] -= dy[i] * p[0] * t[i] * e
	}
	return dp
}

// A model is trained that only Go can compute. The forward pass of each step is a callback, and the
// backward pass is another one. The first gradient is compared with finite differences of the loss.
func Example_derivative() {
	type array = tensor.Array[float64]
	vector := func(data []float64) array { return array{Dims: []int{len(data)}, Data: data} }
	for name, f := range map[string]callbacks.Func{
		"decay": callbacks.Call(func(_ context.Context, in struct{ P, T array }) (array, error) {
			return vector(decay(in.P.Data, in.T.Data)), nil
		}),
		"decay.pullback": callbacks.Call(func(_ context.Context, in struct{ P, T, DY array }) (array, error) {
			return vector(pullBack(in.P.Data, in.T.Data, in.DY.Data)), nil
		}),
	} {
		if err := callbacks.Default.Register(name, f, callbacks.Options{}); err != nil {
			log.Fatal(err)
		}
		defer callbacks.Default.Unregister(name)
	}

	results := run(func(b *builder.Builder) {
		parameters, times := tensor.ShapeOf(tensor.F64, 2), tensor.ShapeOf(tensor.F64, 6)
		f := b.Func("main", parameters, times, times)
		p, t, want := f.Param(0), f.Param(1), f.Param(2)

		errors := func(p builder.Value) builder.Value {
			y := builder.PureCall(builder.Callback{Name: "decay"}, builder.Like(times), struct{ P, T builder.Value }{p, t})
			return builder.Sub(y, want)
		}
		loss := func(p builder.Value) builder.Value { return builder.ReduceMean(builder.Square(errors(p))) }
		gradient := func(p builder.Value) builder.Value {
			dy := builder.Mul(errors(p), 2.0/6)
			return builder.PureCall(builder.Callback{Name: "decay.pullback"}, builder.Like(parameters), struct{ P, T, DY builder.Value }{p, t, dy})
		}
		// slope is the finite difference of the loss along a direction.
		const h = 1e-4
		slope := func(direction ...float64) builder.Value {
			d := builder.Mul(builder.Const(f, direction, 2), h)
			return builder.Div(builder.Sub(loss(builder.Add(p, d)), loss(builder.Sub(p, d))), 2*h)
		}
		trained := builder.Loop(builder.Scalar(f, int32(500)), p, func(_, p builder.Value) builder.Value {
			return builder.Sub(p, builder.Mul(gradient(p), 0.2))
		})
		f.Return(gradient(p), slope(1, 0), slope(0, 1), loss(trained), trained)
	}, bridge.CompileOptions{},
		array64(1, 1), array64(0, 0.5, 1, 1.5, 2, 2.5), array64(decay([]float64{2, 0.5}, []float64{0, 0.5, 1, 1.5, 2, 2.5})...))
	for i, name := range []string{"gradient", "by the height", "by the rate", "loss", "trained"} {
		show(name, results[i])
	}
	// Output:
	// gradient f64[2]: -0.7234 0.3680
	// by the height f64[]: -0.7234
	// by the rate f64[]: 0.3680
	// loss f64[]: 0.0000
	// trained f64[2]: 2.0000 0.5000
}

func array64(data ...float64) tensor.View { return array(data, len(data)) }

// TestPullBack compares the derivative that is written by hand with finite differences.
func TestPullBack(t *testing.T) {
	const h, tolerance = 1e-5, 1e-7
	random := rand.New(rand.NewPCG(1, 2))
	list := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.Float64()
		}
		return x
	}
	for range 100 {
		p, times, dy := list(2), list(7), list(7)
		got := pullBack(p, times, dy)
		for i := range p {
			moved := func(by float64) (sum float64) {
				q := [2]float64(p)
				q[i] += by
				for j, y := range decay(q[:], times) {
					sum += dy[j] * y
				}
				return sum
			}
			if want := (moved(h) - moved(-h)) / (2 * h); math.Abs(got[i]-want) > tolerance {
				t.Errorf("the derivative by parameter %d of %v is %v, want %v", i, p, got[i], want)
			}
		}
	}
}
