package bridge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A module is text, bytecode or a portable artifact. This one calls a Go function by
// its name and adds its result.
func Example() {
	const module = `
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.custom_call @calliope_runtime_call(%x) {
    api_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "square", form = "call", v = 1 : i64}
  } : (tensor<3xf32>) -> tensor<3xf32>
  %z = stablehlo.add %x, %y : tensor<3xf32>
  return %z : tensor<3xf32>
}`
	square := callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
		in, err := tensor.Slice[float32](args[0])
		if err != nil {
			return nil, err
		}
		out := make([]float32, len(in))
		for i, v := range in {
			out[i] = v * v
		}
		return []tensor.View{tensor.Vector(out...)}, nil
	})
	if err := callbacks.Default.Register("square", square, callbacks.Options{Signature: "f32[3]->f32[3]"}); err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("square")

	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err) // names the command that fetches the plugin
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(module), bridge.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [2 6 12]
}

// A module in memory is compiled by stablehlo.Program, which serializes it for the version
// of StableHLO that the plugin reads.
func ExampleClient_Compile() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	b := builder.New(ir, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3))
	f.Return(builder.Square(f.Param(0)))
	module, err := b.Module()
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, stablehlo.Program(module), bridge.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	result, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: f32[3] [1 4 9]
}
