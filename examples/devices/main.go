// Devices calls Go from a program on two devices, which share its array. In a manual computation each device calls with
// its part. Outside, one of them calls with the whole array, and both get the result.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

func main() {
	ctx := context.Background()
	must(native.Ensure(ctx, native.Jaxlib, native.EnsureOptions{})) // has sdy, the dialect of meshes
	session := must(calliope.Open(ctx, calliope.Options{
		Library: mlir.OpenOptions{Dialects: []string{"sdy"}},
		Client:  bridge.ClientOptions{Devices: 2},
	}))
	defer session.Close()
	ir := session.Library().NewContext(mlir.ContextOptions{})
	defer ir.Close()

	var calls record
	check(callbacks.Default.Register("part", func(call *callbacks.Frame) error {
		calls.add("part", call)
		return nil
	}, callbacks.Options{}))
	check(callbacks.Default.Register("reverse", func(call *callbacks.Frame) error {
		calls.add("reverse", call)
		out, err := tensor.Slice[float32](call.Results[0])
		copy(call.Results[0].Data, call.Args[0].Data)
		slices.Reverse(out)
		return err
	}, callbacks.Options{}))

	halves := builder.Sharding{Mesh: "pair", Dims: [][]string{{"x"}}}
	shape := tensor.ShapeOf(tensor.F32, 4)
	b := builder.New(ir, builder.Options{})
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
	module := must(b.Module())
	program := passes.Program(module, passes.PrepareOptions{})
	executable := must(session.Client().Compile(ctx, program, bridge.CompileOptions{Partitions: 2}))
	defer executable.Close()

	results := must(executable.Call(ctx, tensor.Vector[float32](1, 2), tensor.Vector[float32](3, 4)))
	calls.print()
	for device, result := range results {
		fmt.Println("device", device, must(tensor.Slice[float32](result)))
	}
}

// A record holds what callbacks were called with.
type record struct {
	mu    sync.Mutex
	calls []string
}

func (l *record) add(name string, call *callbacks.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprint(name, " on device ", call.Device, " ", call.Args[0]))
}

// print prints the calls in a fixed order, because devices are not in step.
func (l *record) print() {
	slices.Sort(l.calls)
	for _, c := range l.calls {
		fmt.Println(c)
	}
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
