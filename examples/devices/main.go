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
)

func main() {
	session, err := calliope.Open(context.Background(), calliope.Options{
		Client: bridge.ClientOptions{Devices: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	f := calliope.FuncWith(reversed, calliope.FuncOptions{Session: session})
	defer f.Close()
	y, err := calliope.Call[[]float32](context.Background(), f, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	slices.Sort(calls) // the devices are not in step
	for _, call := range calls {
		fmt.Println(call)
	}
	fmt.Println("result", y)
}

// reversed doubles an array and reverses it.
func reversed(x builder.Value) builder.Value {
	x.Func().Builder().Mesh("pair", builder.Axis{Name: "x", Size: 2})
	halves := []builder.Sharding{{Dims: [][]string{{"x"}}}}
	doubled := builder.Manual("pair", halves, halves, x, func(part builder.Value) builder.Value {
		calliope.Tap(part, func(ctx context.Context, v []float32) error {
			saw(ctx, "part", v)
			return nil
		})
		return builder.Add(part, part)
	})
	return calliope.RuntimeCall(builder.Like(x.Shape()), doubled,
		func(ctx context.Context, v []float32) ([]float32, error) {
			saw(ctx, "reverse", v)
			y := slices.Clone(v)
			slices.Reverse(y)
			return y, nil
		}, calliope.CallOptions{Policy: contract.Gather})
}

var (
	mu    sync.Mutex
	calls []string
)

func saw(ctx context.Context, name string, v []float32) {
	mu.Lock()
	defer mu.Unlock()
	frame, _ := callbacks.FrameOf(ctx)
	calls = append(calls, fmt.Sprint(name, " on device ", frame.Device, " ", v))
}
