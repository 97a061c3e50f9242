package programs_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A matrix product on four devices in a grid of two by two. The rows of x are split along
// one of the grid's axes, the summed dimension along the other. XLA inserts the
// communication between the devices.
func Example_sharded() {
	sharded := func(shape tensor.Shape, dims ...[]string) builder.Param {
		return builder.Param{Shape: shape, Sharding: builder.Sharding{Mesh: "grid", Dims: dims}}
	}
	rows, sums := []string{"rows"}, []string{"sums"}

	// Each device receives its parts of the inputs, in the order of the devices.
	x, w := wave(0, 4, 6), wave(80, 6, 3)
	var inputs []tensor.View
	for device := range 4 {
		row, sum := device/2, device%2
		inputs = append(inputs, part(x, 2*row, 3*sum, 2, 3), part(w, 3*sum, 0, 3, 3))
	}
	shardy := mlir.OpenOptions{Dialects: []string{"sdy"}} // the dialect of meshes
	results := runPasses(shardy, "", func(b *builder.Builder) {
		b.Mesh("grid", builder.Axis{Name: "rows", Size: 2}, builder.Axis{Name: "sums", Size: 2})
		f := b.FuncWith("main", builder.Signature{
			Params:  []builder.Param{sharded(x.Shape, rows, sums), sharded(w.Shape, sums)},
			Results: []builder.Result{{Sharding: builder.Sharding{Mesh: "grid", Dims: [][]string{rows}}}},
		})
		f.Return(builder.Dot(f.Param(0), f.Param(1)))
	}, bridge.CompileOptions{Partitions: 4}, inputs...)
	for device, result := range results {
		show(fmt.Sprint("device ", device), result)
	}
	// Output:
	// device 0 f32[2,3]: 0.0312 -0.2297 -0.2794 0.0955 -0.2546 -0.3707
	// device 1 f32[2,3]: 0.0312 -0.2297 -0.2794 0.0955 -0.2546 -0.3707
	// device 2 f32[2,3]: 0.1522 -0.2593 -0.4324 0.1968 -0.2433 -0.4597
	// device 3 f32[2,3]: 0.1522 -0.2593 -0.4324 0.1968 -0.2433 -0.4597
}

// part returns the block of a matrix that begins at the given row and column.
func part(v tensor.View, row, column, rows, columns int) tensor.View {
	var data []float32
	for r := range rows {
		for c := range columns {
			data = append(data, v.At((row+r)*v.Shape.Dims[1]+column+c).(float32))
		}
	}
	return array(data, rows, columns)
}
