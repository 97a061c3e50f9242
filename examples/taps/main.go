// Taps observes a module from JAX while it runs: a tap passes each value of its tanh, in the body of a loop, to a Go
// function. The module computes the same as before. On a plugin that cannot call back it runs in stages.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// rnn is the network of examples/scan, as JAX lowered it.
//
//go:embed rnn.mlir
var rnn []byte

func main() {
	ctx := context.Background()
	session := must(calliope.Open(ctx, calliope.Options{}))
	defer session.Close()
	ir := session.Library().NewContext(mlir.ContextOptions{})
	defer ir.Close()
	module := must(ir.Parse("rnn.mlir", rnn))
	tap := passes.TapOptions{Config: contract.Config{Callback: "hidden"}}
	must(passes.InsertTap(module, passes.ByOp("stablehlo.tanh"), tap))
	check(callbacks.Default.Register("hidden", func(call *callbacks.Frame) error {
		hidden, err := tensor.Slice[float32](call.Args[0])
		fmt.Printf("tapped %.4f\n", hidden)
		return err
	}, callbacks.Options{}))
	executable := must(stages.Compile(ctx, module, stages.Options{Devices: stages.On(session.Engine())}))
	defer executable.Close()
	results := must(executable.Call(ctx, wave.Of(0, 5, 3), wave.Of(60, 3, 3)))
	fmt.Printf("last %.4f\n", must(tensor.Slice[float32](results[0])))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
