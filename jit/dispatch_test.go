package jit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// ways are those in which a function with results can be called.
var ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}

// loop returns a module that runs a body three times, of %y to %z: tensor<4x3xf32>.
func loop(body string) string {
	return `func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
		%zero = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%three = stablehlo.constant dense<3> : tensor<i32>
		%0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4x3xf32>
		cond {
			%c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %c : tensor<i1>
		} do {
			%next = stablehlo.add %i, %one : tensor<i32>
			` + body + `
			stablehlo.return %next, %z : tensor<i32>, tensor<4x3xf32>
		}
		return %0#1 : tensor<4x3xf32>
	}`
}

// batch is a call for four elements.
const batch = `%z = stablehlo.custom_call @calliope_runtime_call(%y) {api_version = 4 : i32,
	backend_config = {callback = "jit.callback", form = "pure", parallel = "*", v = 4 : i64}}
	: (tensor<4x3xf32>) -> tensor<4x3xf32>`

func counting(t *testing.T) tensor.View {
	return array(t, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4, 3)
}

// TestParallel calls a function for the elements of batches, in a loop of compiled code. Those of each batch wait for
// one another.
func TestParallel(t *testing.T) {
	const elements = 4
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			var calls atomic.Int64
			var all [3]chan bool
			for i := range all {
				all[i] = make(chan bool)
			}
			register(t, "jit.callback", func(f *callbacks.Frame) error {
				n := calls.Add(1)
				if n%elements == 0 {
					close(all[n/elements-1])
				}
				<-all[(n-1)/elements]
				inside := callbacks.Barrier(context.Background(), "inside")
				if !errors.Is(inside, callbacks.ErrBarrierInside) {
					return fmt.Errorf("the barrier inside returned %v", inside)
				}
				in, out := check.Must(tensor.Slice[float32](f.Args[0])), check.Must(tensor.Slice[float32](f.Results[0]))
				for i, v := range in {
					out[i] = 2 * v
				}
				return nil
			}, callbacks.Options{Dispatch: way, Parallel: elements})
			e := compile(t, loop(batch))
			got, err := e.Call(t.Context(), counting(t))
			check.NoError(t, err)
			want := array(t, []float32{0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88}, 4, 3)
			if diff := cmp.Diff([]tensor.View{want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestParallelErrors holds that an element that fails ends the run, and leaves the next one.
func TestParallelErrors(t *testing.T) {
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			failure := errors.New("odd")
			register(t, "jit.callback", func(f *callbacks.Frame) error {
				copy(f.Results[0].Data, f.Args[0].Data)
				if v, err := tensor.Slice[float32](f.Args[0]); err != nil || v[0] == 6 {
					return errors.Join(failure, err)
				}
				return nil
			}, callbacks.Options{Dispatch: way, Parallel: 2})
			e := compile(t, loop(batch))
			_, err := e.Call(t.Context(), counting(t))
			check.Error(t, err, "element 2 of the batch: odd")
			if !errors.Is(err, failure) {
				t.Errorf("the error is %v", err)
			}
			small := array(t, make([]float32, 12), 4, 3)
			got, err := e.Call(t.Context(), small)
			check.NoError(t, err)
			if diff := cmp.Diff([]tensor.View{small}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAsyncTaps holds that compiled code goes on while taps wait, which see the arrays as they were.
func TestAsyncTaps(t *testing.T) {
	over := make(chan bool)
	var seen []float32
	register(t, "jit.tap", func(f *callbacks.Frame) error {
		<-over
		v, err := tensor.Slice[float32](f.Args[0])
		seen = append(seen, v[0], v[11])
		return err
	}, callbacks.Options{Dispatch: callbacks.Async})
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		for i := range v {
			v[i] += 100
		}
		return err
	}, callbacks.Options{})
	e := compile(t, loop(`stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "jit.tap", form = "observe", v = 1 : i64}} : (tensor<4x3xf32>) -> ()
		%z = stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
			backend_config = {callback = "jit.callback", form = "passthrough", v = 1 : i64}}
			: (tensor<4x3xf32>) -> tensor<4x3xf32>`))
	got, err := e.Call(t.Context(), counting(t))
	close(over)
	check.NoError(t, err)
	check.NoError(t, e.Barrier(t.Context(), "after the run"))
	if diff := cmp.Diff([]float32{0, 11, 100, 111, 200, 211}, seen); diff != "" {
		t.Error(diff)
	}
	if last := check.Must(tensor.Slice[float32](got[0])); !slices.Equal(last[:2], []float32{300, 301}) {
		t.Errorf("the result is %v", last)
	}
}
