package host_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/gomlx"
	"github.com/calliope-mlir/calliope/gomlx/host"
)

// The loop halves x until it is less than 1. Go sees each iteration, in order, and the branch that it takes.
func Example() {
	backend, err := gomlx.New("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Finalize()
	halve := func(x *graph.Node) *graph.Node {
		g := x.Graph()
		scalar := shapes.Make(dtypes.Float32)
		again := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
			return []*graph.Node{graph.GreaterOrEqual(graph.Parameter(g, "x", scalar), graph.Const(g, float32(1)))}
		})
		body := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
			x := graph.Parameter(g, "x", scalar)
			host.Print("x is {x}", host.Fields{"x": x})
			half := graph.Mul(x, graph.Const(g, float32(0.5)))
			small := graph.NewClosure(g, func(*graph.Graph) []*graph.Node {
				host.Tap(half, func(_ context.Context, half float32) error {
					fmt.Println("its half is small:", half)
					return nil
				})
				return []*graph.Node{half}
			})
			large := graph.NewClosure(g, func(*graph.Graph) []*graph.Node { return []*graph.Node{half} })
			return graph.If(graph.LessThan(half, graph.Const(g, float32(1))), small, large)
		})
		return graph.While(again, body, x)[0]
	}
	fmt.Println(graph.MustExecOnce(backend, halve, float32(3)).Value())
	// Output:
	// x is 3.0
	// x is 1.5
	// its half is small: 0.75
	// 0.75
}

func ExampleCheck() {
	backend, err := gomlx.New("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Finalize()
	root := func(x *graph.Node) *graph.Node {
		y := graph.Sqrt(x)
		host.Check(graph.IsFinite(y), host.Fields{"x": x, "y": y}, "the root is not finite")
		return y
	}
	_, err = graph.CallOnce(backend, root, float32(-4))
	if e, ok := errors.AsType[*callbacks.CheckError](err); ok {
		fmt.Println(e)
	}
	// Output:
	// the check failed: the root is not finite; x = f32[] -4; y = f32[] NaN
}

// A Go function has a derivative that is another one.
func ExampleSetVJP() {
	backend, err := gomlx.New("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Finalize()
	each := func(f func(float64) float64) func(context.Context, []float64) ([]float64, error) {
		return func(_ context.Context, x []float64) ([]float64, error) {
			y := make([]float64, len(x))
			for i, v := range x {
				y[i] = f(v)
			}
			return y, nil
		}
	}
	sin := func(x *graph.Node) *graph.Node {
		y := host.PureCall(x, x, each(math.Sin))
		host.SetVJP(y, func(dy *graph.Node) *graph.Node {
			return graph.Mul(dy, host.PureCall(x, x, each(math.Cos)))
		})
		return y
	}
	derivative := func(x *graph.Node) *graph.Node { return graph.Gradient(graph.ReduceAllSum(sin(x)), x)[0] }
	fmt.Println(graph.MustExecOnce(backend, derivative, []float64{0, math.Pi}).Value())
	// Output:
	// [1 -1]
}
