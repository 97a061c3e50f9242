package sharding_test

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// A partitioned module takes parts of arrays. The program splits a global array by the
// shardings of the compiled module, and joins the parts of the result.
func Example() {
	const module = `module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
      -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
    return %t : tensor<4x2xf32>
  }
}`
	const devices = 4
	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: devices})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{Partitions: devices})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()

	global := tensor.Vector[float32](1, 2, 3, 4, 5, 6, 7, 8)
	global.Shape.Dims = []int{2, 4}
	ins, outs := executable.Shardings()
	in, err := sharding.Parse(ins[0], devices)
	if err != nil {
		log.Fatal(err)
	}
	parts, err := in.Split(global)
	if err != nil {
		log.Fatal(err)
	}
	var inputs []engine.Input // of the first device, then of the second …
	for device, part := range parts {
		fmt.Println("device", device, "takes", part)
		inputs = append(inputs, part)
	}
	buffers, err := executable.Run(ctx, inputs...)
	if err != nil {
		log.Fatal(err)
	}
	out, err := sharding.Parse(outs[0], devices)
	if err != nil {
		log.Fatal(err)
	}
	results := make([]tensor.View, devices)
	for device, b := range buffers { // one result for each device
		if out.IsFirst(device) {
			if results[device], err = b.ToHost(ctx); err != nil {
				log.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			log.Fatal(err)
		}
	}
	joined, err := out.Join(tensor.ShapeOf(tensor.F32, 4, 2), results)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(joined)
	// Output:
	// device 0 takes f32[1,2] [1 2]
	// device 1 takes f32[1,2] [5 6]
	// device 2 takes f32[1,2] [3 4]
	// device 3 takes f32[1,2] [7 8]
	// f32[4,2] [1 5 2 6 3 7 4 8]
}
