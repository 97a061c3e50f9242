// Command cnn-xla trains the network of the command cnn on GoMLX's own XLA backend.
//
//	GOMLX_BACKEND=xla:/absolute/path/of/plugin.so go run -C gomlx ./examples/cnn-xla
package main

import (
	_ "github.com/gomlx/gomlx/backends/default"

	"github.com/calliope-mlir/calliope/gomlx/examples/internal/stripes"
)

func main() { stripes.Main(stripes.Watch{}) }
