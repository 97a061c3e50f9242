// Sharded multiplies matrices on four devices in a grid of two by two. The rows of x are split along one axis of the
// grid, the summed dimension along the other. XLA inserts the communication between the devices.
// The program gives each device its parts; a calliope.Function would divide whole arrays by itself.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/examples/internal/wave"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

func main() {
	ctx := context.Background()
	session := must(calliope.Open(ctx, calliope.Options{
		Client: bridge.ClientOptions{Devices: 4},
	}))
	defer session.Close()
	ir := session.Library().NewContext(mlir.ContextOptions{})
	defer ir.Close()

	sharded := func(shape tensor.Shape, dims ...[]string) builder.Param {
		return builder.Param{Shape: shape, Sharding: builder.Sharding{Mesh: "grid", Dims: dims}}
	}
	rows, sums := []string{"rows"}, []string{"sums"}
	x, w := wave.Of(0, 4, 6), wave.Of(80, 6, 3)
	b := builder.New(ir, builder.Options{})
	b.Mesh("grid", builder.Axis{Name: "rows", Size: 2}, builder.Axis{Name: "sums", Size: 2})
	f := b.FuncWith("main", builder.Signature{
		Params:  []builder.Param{sharded(x.Shape, rows, sums), sharded(w.Shape, sums)},
		Results: []builder.Result{{Sharding: builder.Sharding{Mesh: "grid", Dims: [][]string{rows}}}},
	})
	f.Return(builder.Dot(f.Param(0), f.Param(1)))
	module := must(b.Module())
	program := passes.Program(module, passes.PrepareOptions{})
	executable := must(session.Client().Compile(ctx, program, engine.CompileOptions{Partitions: 4}))
	defer executable.Close()

	// Each device receives its parts of the inputs, in the order of the devices.
	var inputs []tensor.View
	for device := range 4 {
		row, sum := device/2, device%2
		inputs = append(inputs, part(x, 2*row, 3*sum, 2, 3), part(w, 3*sum, 0, 3, 3))
	}
	for device, result := range must(executable.Call(ctx, inputs...)) {
		fmt.Printf("device %d %.4f\n", device, must(tensor.Slice[float32](result)))
	}
}

// part returns the block of a matrix that begins at the given row and column.
func part(v tensor.View, row, column, rows, columns int) tensor.View {
	var data []float32
	for r := range rows {
		for c := range columns {
			data = append(data, v.At((row+r)*v.Shape.Dims[1]+column+c).(float32))
		}
	}
	return must(tensor.FromSlice(data, rows, columns))
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
