// Package host calls Go functions from graphs of GoMLX while they run, on the backend of module gomlx:
//
//	host.Tap(loss, func(_ context.Context, loss float32) error { fmt.Println("loss:", loss); return nil })
//	host.Print("step {step}: {loss}", host.Fields{"step": step, "loss": loss})
//	host.Check(graph.IsFinite(loss), host.Fields{"loss": loss}, "the loss is not finite")
//	y := host.PureCall(x, x, func(_ context.Context, x []float32) ([]float32, error) { … })
//
// The calls are made each time that an execution comes to them: in a closure of graph.While in each iteration, in one
// of graph.If if it is the one that runs. Taps, prints and checks are made in the order in which they are built. A
// RuntimeCall is in this order if all of them have the same calliope.CallOptions.Effect.
// An error or a panic of a Go function is the error of the execution. It unwraps to the value that the function
// returned, and names the Go line of the call.
//
// A Go function takes a tree of arrays: for one node a number, a slice, or a tensor.View; for several nodes a struct or
// an array of these. The arrays are valid until the function returns: see callbacks.Call.
//
// As the functions of package graph, these panic if they are used wrongly.
package host

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/gomlx"
)

// Nodes is one node or several.
type Nodes interface{ *graph.Node | []*graph.Node }

// flat returns the nodes in order.
func flat[N Nodes](x N) []*graph.Node {
	if n, ok := any(x).(*graph.Node); ok {
		return []*graph.Node{n}
	}
	return any(x).([]*graph.Node)
}

// as returns nodes in the type of others.
func as[N Nodes](_ N, nodes []*graph.Node) N {
	if n, ok := any(nodes).(N); ok {
		return n
	}
	return any(nodes[0]).(N)
}

// valuesOf returns the values of nodes in the function that is being built.
func valuesOf(nodes []*graph.Node) []compute.Value {
	out := make([]compute.Value, len(nodes))
	for i, n := range nodes {
		out[i] = graph.InternalBackendOutputs(graph.Identity(n))[0]
		if b := n.Graph().Backend(); b.Name() != gomlx.Name {
			panic(errors.Errorf("host: the backend %q cannot call Go functions: set GOMLX_BACKEND=%s",
				b.Name(), gomlx.Name))
		}
	}
	return out
}

// must panics with an error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// must1 returns a value, or panics with an error.
func must1[T any](v T, err error) T {
	must(err)
	return v
}
