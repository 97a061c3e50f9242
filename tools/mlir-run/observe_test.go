package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// recordCalls writes a recording of calls with the given results.
func recordCalls(t *testing.T, path string, calls ...callbacks.Frame) {
	t.Helper()
	r, err := record.Create(path)
	check.NoError(t, err)
	fn := r.Wrap(func(*callbacks.Frame) error { return nil })
	for _, f := range calls {
		f.Config = contract.Config{Form: contract.Call, Callback: f.Name}
		check.NoError(t, fn(&f))
	}
	check.NoError(t, r.Close())
}

// The recording of a module can run it again, wherever the module's file is. It and the
// trace contain the calls of JAX's loop.
func TestRecordReplayTrace(t *testing.T) {
	folder := t.TempDir()
	const name = "cb_debug_in_scan_cond"
	path := func(file string) string { return filepath.Join(folder, file) }
	args := []string{name + ".mlir", "--in", name + ".npz", "--expect", name + ".npz"}
	got := command{folder: corpus}.run(t,
		append(args, "--tap", "--record", path("calls.rec"), "--trace", path("trace.json"))...)
	got.want(t, exitDone, "outputs match", "")
	taps := strings.Count(got.stdout, "tap ")

	recording, err := record.Open(path("calls.rec"))
	if err != nil || recording.Torn != nil {
		t.Fatal(err, recording.Torn)
	}
	if len(recording.Calls) != taps || taps < 4 {
		t.Errorf("%d calls are recorded, and %d printed", len(recording.Calls), taps)
	}
	seen := map[string]int{}
	for _, c := range recording.Calls {
		seen[c.Name()]++
		if len(c.Args) != 1 || c.Args[0].Shape.String() != "f32[3]" || !c.Finished {
			t.Errorf("%s was called with %v", c.Name(), c.Args)
		}
	}
	if seen["xla_ffi_python_cpu_callback@30:5"] != 4 {
		t.Errorf("the calls are %v", seen)
	}
	traced := map[string]int{}
	for _, file := range []string{"trace.json", "again.json"} {
		if file == "again.json" { // the module is elsewhere, and nothing is printed
			text, err := os.ReadFile(filepath.Join(corpus, name+".mlir"))
			check.NoError(t, err)
			write(t, folder, "moved.mlir", string(text))
			args[0] = path("moved.mlir")
			got = command{folder: corpus}.run(t, append(args, "--replay", path("calls.rec"), "--trace", path(file))...)
			got.want(t, exitDone, "outputs match", "")
			if strings.Contains(got.stdout, "tap ") {
				t.Errorf("it prints taps:\n%s", got.stdout)
			}
		}
		var events []struct{ Name, Ph string }
		data, err := os.ReadFile(path(file))
		if err == nil {
			err = json.Unmarshal(data, &events)
		}
		check.NoError(t, err)
		for _, e := range events {
			if e.Ph == "X" && !strings.HasPrefix(e.Name, "run ") {
				traced[file]++
			}
		}
	}
	if traced["trace.json"] != 2*taps || traced["again.json"] != 2*taps { // on its device's track and on its callback's
		t.Errorf("%d calls were made, and traced %v", taps, traced)
	}
}

// A recording has results that no tap could return: here the values that JAX computed.
func TestReplayCorpus(t *testing.T) {
	folder := t.TempDir()
	arrays := views(t, filepath.Join(corpus, "cb_pure.npz"))
	in, err := tensor.Slice[float32](arrays["in0"])
	check.NoError(t, err)
	out, err := tensor.Slice[float32](arrays["out0"])
	check.NoError(t, err)
	var result []float32 // the module adds its operand to what the callback gives
	for i := range in {
		result = append(result, out[i]-in[i])
	}
	recorded := filepath.Join(folder, "jax.rec")
	recordCalls(t, recorded,
		callbacks.Frame{Name: "xla_ffi_python_cpu_callback@4:10", Args: []tensor.View{arrays["in0"]},
			Results: []tensor.View{tensor.Vector(result...)}})
	args := []string{"cb_pure.mlir", "--in", "cb_pure.npz", "--expect", "cb_pure.npz"}
	command{folder: corpus}.run(t, append(args, "--tap")...).want(t, exitDiffers, "", "")
	command{folder: corpus}.run(t, append(args, "--replay", recorded)...).want(t, exitDone, "outputs match", "")

	other := filepath.Join(folder, "other.npz")
	if err := npz.WriteFile(other,
		[]npz.Named{{Name: "in0", View: tensor.Vector(append([]float32{in[0], 7}, in[2:]...)...)}}); err != nil {
		t.Fatal(err)
	}
	got := command{folder: corpus}.run(t, "cb_pure.mlir", "--in", other, "--replay", recorded)
	got.want(t, exitFailed, "", "the run differs from the one in "+recorded+":\n"+
		`record: callback "xla_ffi_python_cpu_callback@4:10" on device 0 differs from call 0 of the recording: argument 0 is 7 at [1], recorded as `)
	got.want(t, exitFailed, "", "1 of its 1 recorded calls were not made")

	got = command{folder: corpus}.run(t, "cb_vmap_pytree.mlir", "--in", "cb_vmap_pytree.npz", "--replay", recorded)
	got.want(t, exitFailed, "", `(--replay cannot serve it: the recording has no call with its name "xla_ffi_python_cpu_callback@`)
}

// A Go program records its own functions, and the module runs without them.
func TestReplayOwnCallbacks(t *testing.T) {
	const module = `func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %a = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "call", callback = "double", registry = "TestReplayOwnCallbacks"}} : (tensor<2xf32>) -> tensor<2xf32>
  %b = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "call", callback = "count", registry = "TestReplayOwnCallbacks"}} : (tensor<2xf32>) -> tensor<i32>
  return %a, %b : tensor<2xf32>, tensor<i32>
}`
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()
	folder := t.TempDir()
	recorder, err := record.Create(filepath.Join(folder, "own.rec"))
	check.NoError(t, err)
	registry.Use(recorder.Wrap)
	double := func(_ context.Context, args []tensor.View) (tensor.View, error) {
		values, err := tensor.Slice[float32](args[0])
		if err != nil {
			return tensor.View{}, err
		}
		return tensor.Vector(2*values[0], 2*values[1]), nil
	}
	check.NoError(t, registry.Register("double", callbacks.Call(double), callbacks.Options{}))
	count := func(_ context.Context, args []tensor.View) (int32, error) { return int32(len(args[0].Data)), nil }
	check.NoError(t, registry.Register("count", callbacks.Call(count), callbacks.Options{}))
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	client, err := plugin.NewClient(bridge.ClientOptions{})
	check.NoError(t, err)
	defer client.Close()
	executable, err := client.Compile(t.Context(), bridge.Source(module), engine.CompileOptions{})
	check.NoError(t, err)
	defer executable.Close()
	outputs, err := executable.Run(t.Context(), tensor.Vector[float32](3, 4))
	check.NoError(t, err)
	for _, b := range outputs {
		b.Close()
	}
	check.NoError(t, recorder.Close())

	writeArray(t, folder, "x.npy", tensor.Vector[float32](3, 4))
	c := command{folder: folder, stdin: module}
	c.run(t, "-", "--in", "x.npy", "--replay", "own.rec").want(t, exitDone, "out0 f32[2] [6 8]\nout1 s32[] 8\n", "")
	c.run(t, "-", "--in", "x.npy").want(t, exitFailed, "", "these custom calls have no handler:\n  <stdin>:2:8: callback \"double\"\n  <stdin>:3:8: callback \"count\"\nwith --tap")

	data, err := os.ReadFile(filepath.Join(folder, "own.rec"))
	check.NoError(t, err)
	write(t, folder, "torn.rec", string(data[:len(data)-1]))
	got := c.run(t, "-", "--in", "x.npy", "--replay", "torn.rec")
	got.want(t, exitFailed, "", "mlir-run: --replay torn.rec: record: the recording is incomplete from byte ")
	got.want(t, exitFailed, "", "differs from call 1 of the recording: the recording ends within this call")

	cut := bytes.LastIndex(data, []byte("double")) + 12
	write(t, folder, "short.rec", string(data[:cut]))
	c.run(t, "-", "--in", "x.npy", "--replay", "short.rec").want(t, exitFailed, "",
		`callback "count" (--replay cannot serve it: the recording has no call of it)`)
}

// Results without the type of an operand need a recording. Calls at the same location have
// different names.
func TestReplayResults(t *testing.T) {
	const module = `func.func @main(%x: tensor<2xf32>) -> (tensor<i32>, tensor<i32>) {
  %a = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<i32> loc("model":1:2)
  %b = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<i32> loc("model":1:2)
  return %a, %b : tensor<i32>, tensor<i32>
}`
	folder := t.TempDir()
	x := tensor.Vector[float32](3, 4)
	writeArray(t, folder, "x.npy", x)
	call := func(name string, result int32) callbacks.Frame {
		return callbacks.Frame{Name: name, Args: []tensor.View{x}, Results: []tensor.View{tensor.Scalar(result)}}
	}
	recordCalls(t, filepath.Join(folder, "one.rec"), call("f@1:2", 5))
	recordCalls(t, filepath.Join(folder, "both.rec"), call("f@1:2#2", 6), call("f@1:2", 5))
	c := command{folder: folder, stdin: module}
	c.run(t, "-", "--in", "x.npy", "--replay", "both.rec").want(t, exitDone, "out0 s32[] 5\nout1 s32[] 6\n", "")
	c.run(t, "-", "--in", "x.npy", "--replay", "one.rec").want(t, exitFailed, "", `no call with its name "f@1:2#2"`)
	c.run(t, "-", "--in", "x.npy", "--tap").want(t, exitFailed, "", "its results are not of the types of its operands")
}

// The counters are those of the loop's taps. A module without taps is reported as such.
func TestStats(t *testing.T) {
	const name = "cb_debug_in_scan_cond"
	args := []string{name + ".mlir", "--in", name + ".npz", "--expect", name + ".npz", "--tap", "--stats"}
	got := command{folder: corpus}.run(t, args...)
	got.want(t, exitDone, "memory of a device in bytes: arguments 60, outputs 44, ", "")
	got.want(t, exitDone, "fired  delivered  dropped  failed", "")
	if line := regexp.MustCompile(
		`(?m)^ +4 +4 +0 +0 +[0-9.]+[nµm]?s +[0-9.]+[nµm]?s +xla_ffi_python_cpu_callback@30:5$`); !line.MatchString(
		got.stdout) {
		t.Errorf("the table is:\n%s", got.stdout)
	}
	command{folder: corpus}.run(t, "mlp_forward.mlir", "--in", "mlp_forward.npz", "--expect", "mlp_forward.npz",
		"--stats").want(t, exitDone, "no callbacks\n", "")
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 1234: "1.23µs", 123456: "123µs",
		1234567: "1.23ms", 98765432100: "1m38.8s"} {
		if got := short(d); got != want {
			t.Errorf("%d is %s, want %s", d, got, want)
		}
	}
}

func TestObserveRefused(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "add.mlir", add)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	write(t, folder, "x.rec", "hello, world")
	for args, want := range map[string]string{
		"--replay x.rec --tap":            "--replay cannot be combined with",
		"--replay x.rec --record y":       "--replay cannot be combined with",
		"--record x --trace x":            "--trace x: the recording has the same name",
		"--replay x.rec":                  "--replay: record: this is not a recording of callbacks",
		"--replay absent":                 "--replay: record: open absent: no such file",
		"--record absent/x":               "--record: record: open absent/x: no such file",
		"--trace absent/x":                "--trace: open absent/x: no such file",
		"--trace absent/x --record y.rec": "--trace: open absent/x",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			command{folder: folder}.run(t, append([]string{"add.mlir", "--in", "a.npy", "--in", "a.npy"},
				strings.Fields(args)...)...).want(t, exitFailed, "", want)
		})
	}
	got := command{folder: folder}.run(t, "add.mlir", "--in", "a.npy", "--in", "a.npy", "--record", "none.rec",
		"--trace", "none.json")
	got.want(t, exitDone, "out0 f32[2] [2 4]", "")
	if r, err := record.Open(filepath.Join(folder, "none.rec")); err != nil || len(r.Calls) != 0 || r.Torn != nil {
		t.Errorf("the recording of a module without callbacks: %v", err)
	}
}
