package host

import (
	"context"
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/gomlx"
)

// Tap calls fn with the values of x. An error of fn fails the execution, unless the call is calliope.Async.
func Tap[N Nodes, A any](x N, fn func(context.Context, A) error, o ...calliope.CallOptions) {
	must(gomlx.Tap(valuesOf(flat(x)), callbacks.Tap(fn), o...))
}

// Fields are nodes with names.
type Fields map[string]*graph.Node

// names returns the names in order, and their nodes.
func (f Fields) names() (names []string, nodes []*graph.Node) {
	names = slices.Sorted(maps.Keys(f))
	for _, name := range names {
		nodes = append(nodes, f[name])
	}
	return names, nodes
}

// Print writes the values of nodes in a format, which has a name in braces for each: see callbacks.PrintOptions.
func Print(format string, x Fields, o ...calliope.CallOptions) {
	names, nodes := x.names()
	fn := must1(callbacks.Print(callbacks.PrintOptions{Format: format, Names: names}))
	must(gomlx.Tap(valuesOf(nodes), fn, o...))
}

// Check fails the execution with a *callbacks.CheckError if ok, a boolean scalar, is false. The error has the message
// and the values of nodes, with their names. If ok is true, nothing is called and nothing is copied.
func Check(ok *graph.Node, x Fields, message string, o ...calliope.CallOptions) {
	names, nodes := x.names()
	values := valuesOf(append([]*graph.Node{ok}, nodes...))
	must(gomlx.Check(values[0], values[1:], callbacks.Check(message, names...), o...))
}
