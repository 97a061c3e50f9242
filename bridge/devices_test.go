package bridge

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// summed returns a module with a passthrough callback and then a sum over all replicas.
func summed(name, signature string, replicas int) string {
	const typ = "tensor<2xf32>"
	groups := ""
	for i := range replicas {
		if i > 0 {
			groups += ", "
		}
		groups += fmt.Sprint(i)
	}
	return mainFunc("%x: "+typ, typ, `
  %p = `+custom(contract.Passthrough, named(name, signature), "%x", typ, typ)+`
  %s = "stablehlo.all_reduce"(%p) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {replica_groups = dense<[[`+groups+fmt.Sprintf(`]]> : tensor<1x%d`, replicas)+`xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (`+typ+`) -> `+typ+`
  return %s : `+typ)
}

func TestReplicas(t *testing.T) {
	const signature = "f32[2]->f32[2]"
	for _, replicas := range []int{2, 4} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			var mu sync.Mutex
			var devices []int
			var runsSeen []int64
			name := register(t, signature, func(call *callbacks.Frame) error {
				mu.Lock()
				defer mu.Unlock()
				devices = append(devices, call.Device)
				if !slices.Contains(runsSeen, call.RunID) {
					runsSeen = append(runsSeen, call.RunID)
				}
				return nil
			})
			e := compile(t, testClient(t), summed(name, signature, replicas), engine.CompileOptions{Replicas: replicas})
			var inputs []engine.Input
			var want []int
			sum := float32(0)
			for i := range replicas {
				inputs = append(inputs, view(t, []float32{float32(i), 1}, 2))
				want = append(want, i)
				sum += float32(i)
			}
			out, err := e.Run(t.Context(), inputs...)
			check.NoError(t, err)
			slices.Sort(devices)
			check.Diff(t, "devices", want, devices)
			check.Diff(t, "one run", 1, len(runsSeen))
			check.Diff(t, "outputs", replicas, len(out))
			for i, b := range out {
				check.Diff(t, "device", i, b.Device())
				check.Diff(t, "sum", []float32{sum, float32(replicas)}, host[float32](t, b))
			}
		})
	}
}

// If one device's callback fails before a collective operation, the other devices do not
// wait for it, and the run fails at its end.
func TestErrorBeforeCollective(t *testing.T) {
	const signature = "f32[2]->f32[2]"
	faulty := true
	name := register(t, signature, func(call *callbacks.Frame) error {
		if faulty && call.Device == 1 {
			return errSentinel
		}
		return nil
	})
	e := compile(t, testClient(t), summed(name, signature, 4), engine.CompileOptions{Replicas: 4})
	var inputs []engine.Input
	for range 4 {
		inputs = append(inputs, view(t, []float32{1, 1}, 2))
	}
	before := buffersAlive()
	for range 3 {
		out, err := e.Run(t.Context(), inputs...)
		check.Diff(t, "error", true, causeOf(t, err) == errSentinel)
		check.Diff(t, "outputs", 0, len(out))
	}
	check.Diff(t, "buffers alive", before, buffersAlive())
	faulty = false
	out, err := e.Run(t.Context(), inputs...)
	if err != nil {
		t.Fatal("the next run: ", err)
	}
	for _, b := range out {
		check.Diff(t, "sum", []float32{4, 4}, host[float32](t, b))
	}
}

// A module for any one device runs on the device of its first buffer.
func TestDeviceOfInputs(t *testing.T) {
	const signature = "f32[1]->f32[1]"
	device := -1
	name := register(t, signature, func(call *callbacks.Frame) error { device = call.Device; return nil })
	c := testClient(t)
	check.Diff(t, "devices", 4, c.NumDevices())
	e := compile(t, c, passthrough(name, signature, "tensor<1xf32>"), engine.CompileOptions{})
	for want := range 4 {
		in, err := c.ArrayFromHost(t.Context(), view(t, []float32{1}, 1), want)
		check.NoError(t, err)
		out, err := e.Run(t.Context(), in)
		check.NoError(t, err)
		in.Close()
		check.Diff(t, "device of the call", want, device)
		check.Diff(t, "device of the output", want, out[0].Device())
		out[0].Close()
	}
}

// With Shardy a call inside a manual computation runs once on each device, on its
// part of the array.
func TestPartitions(t *testing.T) {
	const signature = "f32[2]->f32[2]"
	var mu sync.Mutex
	var devices []int
	name := register(t, signature, func(call *callbacks.Frame) error {
		mu.Lock()
		defer mu.Unlock()
		devices = append(devices, call.Device)
		return nil
	})
	module := `module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %p = ` + custom(contract.Passthrough, named(name, signature), "%b", "tensor<2xf32>", "tensor<2xf32>") + `
      %s = stablehlo.add %p, %p : tensor<2xf32>
      sdy.return %s : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}`
	e := compile(t, testClient(t), module, engine.CompileOptions{Partitions: 2})
	out, err := e.Run(t.Context(), view(t, []float32{1, 2}, 2), view(t, []float32{3, 4}, 2))
	check.NoError(t, err)
	slices.Sort(devices)
	check.Diff(t, "devices", []int{0, 1}, devices)
	check.Diff(t, "part 0", []float32{2, 4}, host[float32](t, out[0]))
	check.Diff(t, "part 1", []float32{6, 8}, host[float32](t, out[1]))
}

func TestDonateOnEveryDeviceOrNone(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<2xf32>"
	e := compile(t, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{Replicas: 2})
	before := buffersAlive()
	var buffers []*engine.Array
	for device := range 2 {
		b, err := c.ArrayFromHost(t.Context(), view(t, []float32{1, 2}, 2), device)
		check.NoError(t, err)
		buffers = append(buffers, b)
	}
	if _, err := e.Run(t.Context(), engine.Donate(buffers[0]), buffers[1]); err == nil {
		t.Error("donated on one device only")
	}
	for _, b := range buffers {
		b.Close()
	}
	check.Diff(t, "buffers alive", before, buffersAlive())
}
