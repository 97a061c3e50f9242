package host

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/gomlx"
)

// RuntimeCall calls fn with the values of x and returns what fn returns, which has the shapes of like. The call is
// always made, even if its results are not used. In a checkpointed block of a graph it is not repeated.
func RuntimeCall[L, N Nodes, A, R any](
	like L, x N, fn func(context.Context, A) (R, error), o ...calliope.CallOptions,
) L {
	return call(like, x, callbacks.Call(fn), o, gomlx.RuntimeCall)
}

// PureCall is RuntimeCall for a function whose results depend on its arguments only, and that has no other effect: the
// call may be left out if its results are not used. SetVJP gives it a derivative.
func PureCall[L, N Nodes, A, R any](like L, x N, fn func(context.Context, A) (R, error), o ...calliope.CallOptions) L {
	return call(like, x, callbacks.Call(fn), o, gomlx.PureCall)
}

// call makes the call in a function of the graph, because GoMLX makes nodes of the results of these.
func call[L, N Nodes](
	like L, x N, fn callbacks.Func, o []calliope.CallOptions,
	emit func([]shapes.Shape, []compute.Value, callbacks.Func, ...calliope.CallOptions) ([]compute.Value, error),
) L {
	var results []shapes.Shape
	for _, n := range flat(like) {
		results = append(results, n.Shape())
	}
	args := make([]*graph.Node, len(flat(x)))
	for i, n := range flat(x) {
		args[i] = n.StopCheckpoint() // otherwise a checkpointed block makes the call again
	}
	if len(args) == 0 || len(results) == 0 {
		panic(errors.New("host: a call needs a node as its argument and one as its result"))
	}
	g := args[0].Graph()
	f := graph.NewFunction(g, g.UniqueName("host.call"), func(g *graph.Graph) (params []*graph.Node) {
		for i, a := range args {
			params = append(params, graph.Parameter(g, fmt.Sprint("arg", i), a.Shape()))
		}
		must(gomlx.Return(must1(emit(results, valuesOf(params), fn, o...))...))
		return params // Return has replaced them
	})
	return as(like, f.Call(args...))
}

// derivatives is the key of a graph's state that has, for each node of a call, what makes the gradients of its
// arguments of those of its results.
type derivatives struct{}

type rules map[*graph.Node]func(dys []*graph.Node) []*graph.Node

// SetVJP gives the results y of a call a derivative for graph.Gradient. vjp takes the gradients of the results, and
// returns those of the arguments: a node of the same shape for each, or nil for none. It may call Go itself:
//
//	y := host.PureCall(x, x, sin)
//	host.SetVJP(y, func(dy *graph.Node) *graph.Node { return graph.Mul(dy, host.PureCall(x, x, cos)) })
func SetVJP[L, N Nodes](y L, vjp func(dy L) N) {
	n := flat(y)[0]
	if n.Type() == graph.NodeTypeSplitNode {
		n = n.Inputs()[0]
	}
	if n.Type() != graph.NodeTypeCall || n.NumOutputs() != len(flat(y)) {
		panic(errors.New("host: SetVJP needs all results of one call, in their order"))
	}
	set, ok := n.Graph().State(derivatives{}).(rules)
	if !ok {
		set = rules{}
		n.Graph().AttachState(derivatives{}, set)
	}
	set[n] = func(dys []*graph.Node) []*graph.Node { return flat(vjp(as(y, dys))) }
}

// init adds the derivative of calls to GoMLX, which has none.
func init() {
	other := graph.VJPRegistration[graph.NodeTypeCall]
	graph.VJPRegistration[graph.NodeTypeCall] = func(
		n *graph.Node, dys []*graph.Node, output shapes.Shape,
	) []*graph.Node {
		set, _ := n.Graph().State(derivatives{}).(rules)
		switch vjp := set[n]; {
		case vjp != nil:
			return vjp(dys)
		case other != nil:
			return other(n, dys, output)
		}
		panic(errors.Errorf("host: the call %s has no derivative: use SetVJP, or graph.StopGradient", n))
	}
}
