package load_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/interpreter"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// compile compiles a module for an engine of one device.
func compile(t *testing.T, on engine.Engine, text string) engine.Executable {
	t.Helper()
	library := check.Must(load.Library(t.Context(), []byte(text), native.EnsureOptions{}))
	c := library.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, c)
	m := check.Must(c.Parse("test.mlir", []byte(text)))
	before := m.String()
	e, err := load.Compile(t.Context(), m, stages.Options{Devices: stages.On(on)}, native.EnsureOptions{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	check.Diff(t, "the module", before, m.String())
	return e
}

// TestCallsOfEachDevice holds that each device of a manual computation makes its own calls, in order, also those that
// have no array of the device, and those in a branch that only some devices take.
func TestCallsOfEachDevice(t *testing.T) {
	var seen []string
	see := func(f *callbacks.Frame) error {
		seen = append(seen, fmt.Sprint(f.Device, f.Args))
		return nil
	}
	twice := func(f *callbacks.Frame) error {
		x := check.Must(tensor.Slice[float32](f.Args[0]))
		seen = append(seen, fmt.Sprint(f.Device, " twice ", x))
		check.Must(tensor.Slice[float32](f.Results[0]))[0] = 2 * x[0]
		return nil
	}
	for name, fn := range map[string]callbacks.Func{"load.see": see, "load.twice": twice} {
		check.NoError(t, callbacks.Default.Register(name, fn, callbacks.Options{}))
		t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
	}
	call := func(name, form, operands, types, result string) string {
		return fmt.Sprintf(`stablehlo.custom_call @calliope_io_callback(%s) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "load.%s", form = "%s", v = 1 : i64}} : (%s) -> %s`, operands, name, form, types, result)
	}
	text := `module attributes {mhlo.num_partitions = 2 : i32} {
	sdy.mesh @mesh = <["x"=2]>
	func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = sdy.manual_computation(%x) in_shardings=[<@"mesh", [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<1xf32>) {
			%c = stablehlo.constant dense<7> : tensor<i32>
			` + call("see", "observe", "%c", "tensor<i32>", "()") + `
			%1 = ` + call("twice", "call", "%y", "tensor<1xf32>", "tensor<1xf32>") + `
			%id = stablehlo.partition_id : tensor<ui32>
			%zero = stablehlo.constant dense<0> : tensor<ui32>
			%second = stablehlo.compare GT, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
			%2 = "stablehlo.if"(%second) ({
				` + call("see", "observe", "%1", "tensor<1xf32>", "()") + `
				stablehlo.return %1 : tensor<1xf32>
			}, {
				stablehlo.return %y : tensor<1xf32>
			}) : (tensor<i1>) -> tensor<1xf32>
			sdy.return %2 : tensor<1xf32>
		} : (tensor<2xf32>) -> tensor<2xf32>
		return %0 : tensor<2xf32>
	}
	}`
	got, err := compile(t, jit.Engine(), text).Call(t.Context(), tensor.Vector[float32](3, 4))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[2] [3 8]]", fmt.Sprint(got))
	check.Diff(t, "calls", []string{"0 [s32[] 7]", "1 [s32[] 7]", "0 twice [3]", "1 twice [4]",
		"1 [f32[1] [8]]"}, seen)
}

// TestReplicasOfOneDevice holds that an executable has the inputs and results of each replica.
func TestReplicasOfOneDevice(t *testing.T) {
	const text = `module attributes {mhlo.num_replicas = 2 : i32} {
	func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
		%0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
		^bb0(%a: tensor<f32>, %b: tensor<f32>):
			%1 = stablehlo.add %a, %b : tensor<f32>
			stablehlo.return %1 : tensor<f32>
		}) : (tensor<2xf32>) -> tensor<2xf32>
		%1 = stablehlo.replica_id : tensor<ui32>
		return %0, %1 : tensor<2xf32>, tensor<ui32>
	}}`
	for _, on := range []engine.Engine{jit.Engine(), interpreter.Engine()} {
		e := compile(t, on, text)
		check.Diff(t, "devices", 2, e.NumDevices())
		check.Diff(t, "inputs and outputs", "[f32[2]] [f32[2] u32[]]", fmt.Sprint(e.Inputs(), e.Outputs()))
		got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2), tensor.Vector[float32](10, 20))
		check.NoError(t, err)
		check.Diff(t, "results", "[f32[2] [11 22] u32[] 0 f32[2] [11 22] u32[] 1]", fmt.Sprint(got))
	}
}
