package bridge

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// Each floor serves calls of loops on several devices at once, which compute what they do
// without it.
func TestFloors(t *testing.T) {
	p := testPlugin(t)
	for range 2 {
		if err := p.RegisterFloors(); err != nil {
			t.Fatal(err)
		}
	}
	c := testClient(t)
	for target := range floors {
		t.Run(target, func(t *testing.T) {
			module := loop(target, `callback = ""`)
			if strings.Contains(target, "queue") || target == FloorCopy {
				module = observed(target)
			}
			e := compile(t, c, module, CompileOptions{})
			var wait sync.WaitGroup
			for device := range c.NumDevices() {
				wait.Go(func() {
					in, err := c.Buffer(tensor.Vector[float32](1, 2, 3, 4), device)
					if err != nil {
						t.Error(err)
						return
					}
					defer in.Close()
					for range 20 {
						out, err := e.Run(context.Background(), in, tensor.Scalar[int32](100))
						if err != nil {
							t.Error(err)
							return
						}
						v, err := out[0].ToHost()
						out[0].Close()
						if err != nil {
							t.Error(err)
							return
						}
						got, err := tensor.Slice[float32](v)
						if err != nil {
							t.Error(err)
							return
						}
						const twice = 1 << 50 * (1 << 50) // a hundred times
						if diff := cmp.Diff([]float32{twice, 2 * twice, 3 * twice, 4 * twice}, got); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
							return
						}
					}
				})
			}
			wait.Wait()
		})
	}
}

// observed is a loop like that of the function loop with a call that only looks.
func observed(target string) string {
	const typ = "tensor<4xf32>"
	call := custom(contract.Observe, `callback = ""`, "%x", typ, "tensor<i8>")
	passing := custom(contract.Passthrough, `callback = ""`, "%x", typ, typ)
	passing = strings.Replace(passing, contract.TargetIOCallback, target, 1)
	call = strings.Replace(call, contract.TargetIOCallback, target, 1)
	module := strings.Replace(loop(target, `callback = ""`), "%y = "+passing, "%t = "+call, 1)
	return strings.Replace(module, "stablehlo.add %y, %y", "stablehlo.add %x, %x", 1)
}

// What a floor does not take is an error, and not a crash.
func TestFloorRefuses(t *testing.T) {
	if err := testPlugin(t).RegisterFloors(); err != nil {
		t.Fatal(err)
	}
	c := testClient(t)
	for target, want := range map[string]string{
		FloorThreadFutex: "takes an array of f32", FloorDeferred: "takes an array of f32", FloorCopies: "takes an array of f32",
	} {
		const typ = "tensor<4xi32>"
		call := strings.Replace(custom(contract.Passthrough, `callback = ""`, "%x", typ, typ), contract.TargetIOCallback, target, 1)
		e := compile(t, c, mainFunc("%x: "+typ, typ, "%y = "+call+"\nreturn %y : "+typ), CompileOptions{})
		_, err := e.Run(context.Background(), tensor.Vector[int32](1, 2, 3, 4))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", target, err, want)
		}
	}
}
