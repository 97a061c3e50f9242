package programs_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// Callbacks of a program on two devices, which share its array. In a manual computation each
// device calls Go with its part. Outside, one of them calls with the whole array, and both get
// the result.
func Example_devices() {
	var mu sync.Mutex
	calls := map[string]tensor.View{}
	see := func(name string) {
		err := callbacks.Default.Register(name, func(call *callbacks.Frame) error {
			mu.Lock()
			defer mu.Unlock()
			calls[fmt.Sprintf("%s on device %d", name, call.Device)] = call.Args[0].Clone()
			if name == "reverse" {
				out, err := tensor.Slice[float32](call.Results[0])
				if err != nil {
					return err
				}
				copy(call.Results[0].Data, call.Args[0].Data)
				slices.Reverse(out)
			}
			return nil
		}, callbacks.Options{})
		if err != nil {
			panic(err)
		}
	}
	see("part")
	see("reverse")
	defer callbacks.Default.Unregister("part")
	defer callbacks.Default.Unregister("reverse")

	halves := builder.Sharding{Mesh: "pair", Dims: [][]string{{"x"}}}
	shape := tensor.ShapeOf(tensor.F32, 4)
	shardy := mlir.OpenOptions{Dialects: []string{"sdy"}} // the dialect of meshes
	results := runPasses(shardy, "", func(b *builder.Builder) {
		b.Mesh("pair", builder.Axis{Name: "x", Size: 2})
		f := b.FuncWith("main", builder.Signature{
			Params:  []builder.Param{{Shape: shape, Sharding: halves}},
			Results: []builder.Result{{Sharding: halves}},
		})
		in := []builder.Sharding{halves}
		doubled := builder.Manual("pair", in, in, f.Param(0), func(part builder.Value) builder.Value {
			builder.Tap(builder.Callback{Name: "part"}, part)
			return builder.Add(part, part)
		})
		f.Return(builder.RuntimeCall(builder.Callback{Name: "reverse", Policy: contract.Gather}, builder.Like(shape), doubled))
	}, bridge.CompileOptions{Partitions: 2}, tensor.Vector[float32](1, 2), tensor.Vector[float32](3, 4))

	for _, name := range slices.Sorted(maps.Keys(calls)) { // devices are not in step
		show(name, calls[name])
	}
	for device, result := range results {
		show(fmt.Sprint("device ", device), result)
	}
	// Output:
	// part on device 0 f32[2]: 1.0000 2.0000
	// part on device 1 f32[2]: 3.0000 4.0000
	// reverse on device 0 f32[4]: 2.0000 4.0000 6.0000 8.0000
	// device 0 f32[2]: 8.0000 6.0000
	// device 1 f32[2]: 4.0000 2.0000
}
