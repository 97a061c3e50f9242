package legacy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A module with a legacy custom call is rewritten, and calls a function that is registered for its target.
// Open and Library.Function give a function of C in place of the one of Go.
func Example() {
	f := legacy.Go(func(out legacy.Value, in []legacy.Value) error {
		x, err := tensor.Slice[float32](in[0].View)
		if err != nil {
			return err
		}
		y, err := tensor.Slice[float32](out.View)
		for i := range y {
			y[i] = 3 * x[i]
		}
		return err
	})
	if err := f.Register(nil, "triple", callbacks.Options{}); err != nil {
		log.Fatal(err)
	}
	defer legacy.Registry.Unregister("triple")

	library, err := mlirtest.Default()
	if err != nil {
		log.Fatal(err)
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	module, err := ir.Parse("triple.mlir", []byte(`
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.custom_call @triple(%x) {api_version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}`))
	if err != nil {
		log.Fatal(err)
	}
	result, err := passes.ReplaceLegacy(module, passes.LegacyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Calls {
		fmt.Println(c.Target, c.Version)
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
	executable, err := client.Compile(ctx, passes.Program(module, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	outputs, err := executable.Run(ctx, tensor.Vector[float32](1, 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	defer outputs[0].Close()
	y, err := outputs[0].ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output:
	// triple 2
	// f32[3] [3 6 9]
}
