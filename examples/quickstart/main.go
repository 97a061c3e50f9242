// Quickstart builds a small program that calls a Go function from inside XLA, and runs it:
//
//	cos → callback into Go → sin
//
// If the two native parts that it needs are missing, it fetches them.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if err := native.EnsureAll(ctx, native.EnsureOptions{}); err != nil {
		return err
	}

	// 1. Build the module with the MLIR C API, which also verifies it.
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	shape := tensor.ShapeOf(tensor.F32, 4)

	b := builder.New(ir, builder.Options{})
	f := b.Func("main", shape)
	x := builder.Cos(f.Param(0))
	x = builder.IOCallback(builder.Callback{Name: "log"}, x)
	f.Return(builder.Sin(x))
	module, err := b.Module()
	if err != nil {
		return err
	}
	fmt.Printf("The module, verified:\n\n%s\n", module)

	// 2. Register the Go function that the module calls by name.
	signature := contract.Signature([]tensor.Shape{shape}, []tensor.Shape{shape})
	zeroCopy := false
	err = callbacks.Default.Register("log", func(c *callbacks.Frame) error {
		fmt.Println("In the callback, from Go:", c.Args[0])
		// The operand and the result, which sin takes, share the same memory.
		zeroCopy = &c.Args[0].Data[0] == &c.Results[0].Data[0]
		return nil
	}, callbacks.Options{Signature: signature})
	if err != nil {
		return err
	}

	// 3. Compile with XLA and run.
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	executable, err := client.Compile(ctx, stablehlo.Program(module), bridge.CompileOptions{})
	if err != nil {
		return err
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](0, 1, 2, 3))
	if err != nil {
		return err
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		return err
	}
	fmt.Println("The result, sin(cos(x)): ", result)
	if !zeroCopy {
		return fmt.Errorf("the callback received a copy")
	}
	fmt.Println("Zero copy: the callback's operand and its result were the same memory.")
	return nil
}
