// Command cnn trains a convolutional network of GoMLX on the backend of module gomlx, with Go functions that its graphs
// call. The command cnn-xla is the same on GoMLX's own backend: only the imports differ, and it cannot call Go.
//
//	go run -C gomlx ./examples/cnn
package main

import (
	"github.com/gomlx/gomlx/core/graph"

	_ "github.com/calliope-mlir/calliope/gomlx"
	"github.com/calliope-mlir/calliope/gomlx/examples/internal/stripes"
	"github.com/calliope-mlir/calliope/gomlx/host"
)

func main() {
	stripes.Main(stripes.Watch{
		Loss: func(loss *graph.Node) {
			host.Check(graph.IsFinite(loss), host.Fields{"loss": loss}, "the loss is not finite")
		},
		Batch: func(batch, right *graph.Node) {
			host.Print("batch {batch}: {right:.0f} right", host.Fields{"batch": batch, "right": right})
		},
	})
}
