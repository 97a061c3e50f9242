package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// looping calls each form three times: in a loop, the tap in order by its token.
func looping(registry string) string {
	custom := func(target, form, name, more, operands, types, results string) string {
		return fmt.Sprintf(`stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = %q, callback = %q, registry = %q%s}} : (%s) -> %s`,
			target, operands, form, name, registry, more, types, results)
	}
	const vector, token = "tensor<4xf32>", "tensor<i8>"
	return `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %first = stablehlo.constant dense<0> : tensor<i8>
  %w:3 = stablehlo.while(%i = %zero, %v = %x, %t = %first) : tensor<i32>, tensor<4xf32>, tensor<i8>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %a = ` + custom("calliope_runtime_call", "call", "step", "", "%v", vector, vector) + `
      %b = ` + custom("calliope_io_callback", "passthrough", "change", "", "%a", vector, vector) + `
      %u = ` + custom("calliope_io_callback", "observe", "look", ", n_tokens = 1 : i64", "%b, %t", vector+", "+token, token) + `
      stablehlo.return %next, %b, %u : tensor<i32>, tensor<4xf32>, tensor<i8>
    }
  return %w#1 : tensor<4xf32>
}`
}

// live are the functions of such a module: what they give changes with each call. ways
// are how the three are called.
func live(t *testing.T, r *callbacks.Registry, ways [3]callbacks.Dispatch) {
	t.Helper()
	var mu sync.Mutex
	calls := float32(0)
	add := func(from, to tensor.View) error {
		mu.Lock()
		calls++
		n := calls
		mu.Unlock()
		in, err := tensor.Slice[float32](from)
		if err != nil {
			return err
		}
		out, err := tensor.Slice[float32](to)
		if err != nil {
			return err
		}
		for i := range out {
			out[i] = in[i] + n
		}
		return nil
	}
	if err := errors.Join(
		r.Register("step", func(f *callbacks.Frame) error { return add(f.Args[0], f.Results[0]) },
			callbacks.Options{Dispatch: ways[0]}),
		r.Register("change", func(f *callbacks.Frame) error { return add(f.Args[0], f.Results[0]) },
			callbacks.Options{Dispatch: ways[1]}),
		r.Register("look", func(f *callbacks.Frame) error { return nil }, callbacks.Options{Dispatch: ways[2]}),
	); err != nil {
		t.Fatal(err)
	}
}

// outcomes compiles the module and runs it with each input at once, half of the runs on
// a device and half on another.
func outcomes(t *testing.T, client *bridge.Client, registry string, inputs []float32) ([][]float32, []error) {
	t.Helper()
	e, err := client.Compile(t.Context(), bridge.Source(looping(registry)), engine.CompileOptions{})
	check.NoError(t, err)
	defer e.Close()
	results, errs := make([][]float32, len(inputs)), make([]error, len(inputs))
	var wait sync.WaitGroup
	for i, x := range inputs {
		wait.Go(func() {
			in, err := client.ArrayFromHost(t.Context(), tensor.Vector(x, 0, 1, 2), i%2)
			if err != nil {
				t.Error(err)
				return
			}
			defer in.Close()
			out, err := e.Run(context.Background(), in)
			if errs[i] = err; err != nil {
				return
			}
			v, err := out[0].ToHost(t.Context())
			if err = errors.Join(err, out[0].Close()); err != nil {
				t.Error(err)
				return
			}
			values, _ := tensor.Slice[float32](v)
			results[i] = slices.Clone(values)
		})
	}
	wait.Wait()
	return results, errs
}

// Runs at once on two devices are recorded, and run again without the functions: each
// gets what it got, and one with another input gets an error that says what differs.
func TestReplayOfConcurrentRuns(t *testing.T) {
	for name, ways := range map[string][3]callbacks.Dispatch{
		"inline":     {},
		"dispatched": {callbacks.Deferred, callbacks.Goroutine, callbacks.Async},
	} {
		t.Run(name, func(t *testing.T) { replayConcurrent(t, ways) })
	}
}

func replayConcurrent(t *testing.T, ways [3]callbacks.Dispatch) {
	client := newClient(t, 2)
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	live(t, registry, ways)
	var file, trace bytes.Buffer
	recorder, err := record.NewRecorder(&file)
	check.NoError(t, err)
	registry.Use(recorder.Wrap)
	inputs := []float32{100, 200, 300, 400, 500, 600}
	want, errs := outcomes(t, client, t.Name(), inputs)
	if err := client.Barrier(t.Context(), "recorded"); err != nil { // taps may still be in a queue
		t.Error(err)
	}
	check.NoError(t, errors.Join(append(errs, recorder.Close())...))
	registry.Close()

	recording, err := record.Read(bytes.NewReader(file.Bytes()))
	if err != nil || recording.Torn != nil {
		t.Fatal(err, recording.Torn)
	}
	if n := len(recording.Calls); n != 9*len(inputs) {
		t.Errorf("%d calls are recorded", n)
	}
	runs, devices := map[int64]int{}, map[int]int{}
	for _, c := range recording.Calls {
		runs[c.RunID]++
		devices[c.Device]++
	}
	if len(runs) != len(inputs) || devices[0] != devices[1] {
		t.Errorf("the calls are of the runs %v and the devices %v", runs, devices)
	}
	if err := recording.WriteTrace(&trace); err != nil || !json.Valid(trace.Bytes()) {
		t.Errorf("the trace: %v", err)
	}

	// Without the functions, the runs in another order, twice.
	if registry, err = callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{}); err != nil {
		t.Fatal(err)
	}
	defer registry.Close()
	for range 2 {
		replay := record.NewReplay(recording)
		release, err := replay.Bind(registry)
		check.NoError(t, err)
		turned := []float32{500, 600, 100, 200, 300, 400}
		got, errs := outcomes(t, client, t.Name(), turned)
		check.Report(t, errors.Join(append(errs, replay.Finish())...))
		for i, x := range turned {
			if d := cmp.Diff(want[slices.Index(inputs, x)], got[i]); d != "" {
				t.Errorf("the run with %v (-want +got):\n%s", x, d)
			}
		}
		release()
	}

	replay := record.NewReplay(recording)
	release, err := replay.Bind(registry)
	check.NoError(t, err)
	defer release()
	_, errs = outcomes(t, client, t.Name(), []float32{7})
	difference, ok := errors.AsType[*record.DifferenceError](errs[0])
	if !ok || difference.Callback != "step" ||
		!strings.Contains(difference.Text, "argument 0 is 7 at [0], recorded as ") {
		t.Errorf("a run with another input: %v", errs[0])
	}
	check.Error(t, replay.Finish(), "9 of its 9 recorded calls were not made")
}
