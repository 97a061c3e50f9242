package stages_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
)

// alone has the devices that need no plugin.
var alone = []stages.Device{stages.JIT(), stages.Interpreter()}

// Without a client, Run takes and returns buffers in the host's memory: on jit, on the interpreter, and where a module
// is cut.
func TestRunWithoutClient(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	tests := map[string]stages.Options{
		"jit":          {},
		"jit in parts": {Force: map[string]stages.Decision{"double": stages.Boundary}},
		"interpreter":  {Devices: []stages.Device{stages.Interpreter()}},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			e := check.Must(stages.Compile(t.Context(), halves(t, "double"), o))
			check.Cleanup(t, e)
			wants := check.Must(e.Call(t.Context(), floats(1, 2, 3, 4)))
			in := check.Must(engine.HostArray(t.Context(), floats(1, 2, 3, 4)))
			check.Cleanup(t, in)
			for _, given := range []engine.Input{floats(1, 2, 3, 4), engine.Borrow(floats(1, 2, 3, 4)), in} {
				out := check.Must(e.Run(t.Context(), given))
				for i, b := range out {
					check.Diff(t, "result", wants[i], check.Must(b.ToHost(t.Context())))
				}
				again := check.Must(e.Run(t.Context(), engine.Donate(out[0])))
				check.NoError(t, again[0].Close())
				_, err := e.Run(t.Context(), out[0])
				check.Error(t, err, "input 0: the array is closed or was donated")
				if !errors.Is(err, stages.ErrClosed) {
					t.Errorf("%v is no ErrClosed", err)
				}
			}
			check.NoError(t, e.Close())
			_, err := e.Run(t.Context(), in)
			if !errors.Is(err, stages.ErrClosed) {
				t.Errorf("a run after Close returned %v", err)
			}
		})
	}
}

// Compiled code reads a buffer in place: an observer of a parameter sees its memory.
func TestRunReadsInPlace(t *testing.T) {
	var at *byte
	register(t, "seen", func(f *callbacks.Frame) error {
		at = unsafe.SliceData(f.Args[0].Data)
		return nil
	}, callbacks.Options{})
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
		stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {v = 1 : i64, form = "observe", callback = "seen"}} : (tensor<4xf32>) -> ()
		%0 = stablehlo.add %x, %x : tensor<4xf32>
		return %0 : tensor<4xf32> }`)
	e := check.Must(stages.Compile(t.Context(), m, stages.Options{}))
	check.Cleanup(t, e)
	var in engine.Input = floats(1, 2, 3, 4)
	for range 3 {
		out := check.Must(e.Run(context.Background(), in))[0]
		if b, ok := in.(*engine.Array); ok {
			view := check.Must(b.View(t.Context()))
			if memory := unsafe.SliceData(view.Tensor().Data); memory != at {
				t.Errorf("the callback saw %p of a buffer at %p", at, memory)
			}
			check.NoError(t, view.Close())
			check.NoError(t, b.Close())
		}
		in = out
	}
	check.NoError(t, in.(*engine.Array).Close())
}

// A result is in the memory of a donated buffer, and not in that of another input.
func TestRunDonates(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	e := check.Must(stages.Compile(t.Context(), donating(t, "double"), stages.Options{}))
	check.Cleanup(t, e)
	other := floats(1, 1, 1, 1)
	kept := check.Must(engine.HostArray(t.Context(), floats(1, 2, 3, -4)))
	check.Cleanup(t, kept)
	array := floats(1, 2, 3, -4)
	for _, in := range []engine.Input{kept, array, engine.Borrow(array)} {
		out := check.Must(e.Run(t.Context(), in, other))[0]
		check.Diff(t, "result", floats(9, 19, 33, 19), check.Must(out.ToHost(t.Context())))
		check.Diff(t, "input", floats(1, 2, 3, -4), check.Must(kept.ToHost(t.Context())))
		check.Diff(t, "array", floats(1, 2, 3, -4), array)
		if address(t, out) == address(t, kept) {
			t.Error("the result is in the memory of an input that was not donated")
		}
		check.NoError(t, out.Close())
	}
	memory := address(t, kept)
	out := check.Must(e.Run(t.Context(), engine.Donate(kept), other))[0]
	check.Cleanup(t, out)
	check.Diff(t, "result", floats(9, 19, 33, 19), check.Must(out.ToHost(t.Context())))
	if at := address(t, out); at != memory {
		t.Errorf("the result is at %p, and the donated array was at %p", at, memory)
	}
}

// Buffers of a client are no inputs without it, nor those of the host with it.
func TestRunOfOtherEngine(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	const want = "input 0: the array belongs to another client"
	client := devices(t, 1)
	theirs := put(t, client, 0)
	check.Cleanup(t, theirs)
	ours := check.Must(engine.HostArray(t.Context(), floats(1, 2, 3, 4)))
	check.Cleanup(t, ours)
	for _, d := range alone {
		e := check.Must(stages.Compile(t.Context(), halves(t, "double"), stages.Options{Devices: []stages.Device{d}}))
		check.Cleanup(t, e)
		_, err := e.Run(t.Context(), theirs)
		check.Error(t, err, want, "give what its ToHost returns")
		_, err = e.Run(t.Context(), check.Must(theirs.ToHost(t.Context())))
		check.NoError(t, err)
		_, err = e.Run(t.Context(), floats(1, 2))
		check.Diff(t, "index", 0, check.As[*engine.InputError](t, err).Index)
		_, err = e.Run(t.Context())
		check.Diff(t, "inputs", 1, check.As[*engine.InputCountError](t, err).Want)
	}
	e := check.Must(stages.Compile(t.Context(), halves(t, "double"),
		stages.Options{Devices: stages.On(client.Engine())}))
	check.Cleanup(t, e)
	_, err := e.Run(t.Context(), ours)
	check.Error(t, err, want, "give what its ToHost returns")
}

// Several runs in flight read one buffer, and donate others.
func TestRunsInFlight(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	for _, d := range alone {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			o := stages.Options{Devices: []stages.Device{d}}
			e := check.Must(stages.Compile(t.Context(), halves(t, "double"), o))
			check.Cleanup(t, e)
			shared := check.Must(engine.HostArray(t.Context(), floats(1, 2, 3, 4)))
			want := check.Must(e.Call(t.Context(), floats(1, 2, 3, 4)))[0]
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 10 {
						out, err := e.Run(t.Context(), shared)
						check.NoError(t, err)
						check.Diff(t, "result", want, check.Must(out[0].ToHost(t.Context())))
						out, err = e.Run(t.Context(), engine.Donate(out[0]))
						check.NoError(t, err)
						check.NoError(t, out[0].Close())
					}
				})
			}
			all.Wait()
			check.NoError(t, shared.Close())
		})
	}
}
