package jit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// register binds a function to a name until the test ends.
func register(t *testing.T, name string, fn callbacks.Func, o callbacks.Options) {
	t.Helper()
	check.NoError(t, callbacks.Default.Register(name, fn, o))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
}

func compile(t *testing.T, text string) *jit.Executable {
	t.Helper()
	e, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), text), jit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check.NoError(t, e.Close()) })
	return e
}

const passing = `stablehlo.custom_call @calliope_io_callback(%s) {api_version = 4 : i32, has_side_effect = true,
	backend_config = {callback = "jit.callback", form = "passthrough", v = 1 : i64},
	output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
		operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>`

// An array that passes through a callback is copied only if something else needs it afterwards.
func TestPassthroughCopies(t *testing.T) {
	var seen []*byte
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		for i := range v {
			v[i] += 10
		}
		seen = append(seen, &f.Args[0].Data[0])
		return err
	}, callbacks.Options{})
	e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
		%%a = stablehlo.add %%x, %%x : tensor<3xf32>
		%%p = `+passing+`
		%%q = `+passing+`
		%%r = `+passing+`
		return %%q, %%r, %%x : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
	}`, "%a", "%p", "%q"))
	got, err := e.Call(context.Background(), tensor.Vector[float32](1, 2, 3))
	check.NoError(t, err)
	want := []tensor.View{tensor.Vector[float32](22, 24, 26), tensor.Vector[float32](32, 34, 36),
		tensor.Vector[float32](1, 2, 3)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if seen[0] != seen[1] || seen[1] == seen[2] {
		t.Errorf("the arrays of the calls are at %p: the third call has another one", seen)
	}
}

// A callback that fails, and a context that ends, end a loop that would never end.
func TestEndlessLoop(t *testing.T) {
	calls := 0
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		if calls++; calls == 5 {
			return errors.New("five is enough")
		}
		return nil
	}, callbacks.Options{})
	const loop = `func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
		%%0 = stablehlo.while(%%y = %%x) : tensor<3xf32>
		cond {
			%%true = stablehlo.constant dense<true> : tensor<i1>
			stablehlo.return %%true : tensor<i1>
		} do {
			%%z = %s
			stablehlo.return %%z : tensor<3xf32>
		}
		return %%0 : tensor<3xf32>
	}`
	e := compile(t, fmt.Sprintf(loop, fmt.Sprintf(passing, "%y")))
	_, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3))
	failed, ok := errors.AsType[*callbacks.CallError](err)
	if !ok || failed.Callback != "jit.callback" || calls != 5 {
		t.Errorf("after %d calls the error is %v", calls, err)
	}
	for name, body := range map[string]string{
		"call": fmt.Sprintf(passing, "%y"), "pure": "stablehlo.add %y, %y : tensor<3xf32>",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := compile(t, fmt.Sprintf(loop, body)).Call(ctx, tensor.Vector[float32](1, 2, 3))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A run leaves a function that goes on at its deadline.
func TestBlockedCallback(t *testing.T) {
	over := make(chan struct{})
	register(t, "jit.callback", func(*callbacks.Frame) error { <-over; return nil }, callbacks.Options{})
	e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
		%%p = `+passing+`
		return %%p : tensor<3xf32> }`, "%x"))
	defer close(over)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	x := tensor.Vector[float32](1, 2, 3)
	left := make(chan error, 1)
	go func() {
		_, err := e.Call(ctx, x)
		left <- err
	}()
	select {
	case err := <-left:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the run still waits for the function, long after its deadline")
	}
}

// A function that writes to what it may only read does not change the caller's array.
func TestWritingCallback(t *testing.T) {
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		clear(f.Args[0].Data)
		return nil
	}, callbacks.Options{})
	e := compile(t, `func.func @main(%x: tensor<4x3xf32>) -> tensor<f32> {
		%y = stablehlo.slice %x [2:3, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
		`+observing("%x", "tensor<4x3xf32>")+observing("%y", "tensor<1x3xf32>")+`
		%c = stablehlo.constant dense<1.0> : tensor<f32>
		return %c : tensor<f32> }`)
	x := tensor.Vector[float32](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	x.Shape.Dims = []int{4, 3}
	want := x.Clone()
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		check.Must(e.Call(ctx, x))
		if diff := cmp.Diff(want, x); diff != "" {
			t.Error(diff)
		}
	}
}

func observing(value, typ string) string {
	return value + `seen = stablehlo.custom_call @calliope_io_callback(` + value + `) {api_version = 4 : i32, has_side_effect = true,
		backend_config = {callback = "jit.callback", form = "observe", v = 1 : i64}} : (` + typ + `) -> tensor<1xui8>
		`
}

// A function gets each element of less than a byte in a byte of its own, with its sign, and compiled code gets no other
// bits than those of the element.
func TestSmallElements(t *testing.T) {
	var seen []tensor.View
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		seen = append(seen, f.Args[0].Clone())
		for i := range f.Results[0].Data {
			f.Results[0].Data[i] = byte(-int8(f.Args[0].Data[i]))
		}
		return nil
	}, callbacks.Options{})
	for form, target := range map[string]string{"passthrough": "calliope_io_callback", "call": "calliope_runtime_call"} {
		t.Run(form, func(t *testing.T) {
			seen = nil
			e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xui32>) {
				%%a = stablehlo.convert %%x : (tensor<4xi32>) -> tensor<4xi4>
				%%b = stablehlo.custom_call @%s(%%a) {api_version = 4 : i32, has_side_effect = true,
					backend_config = {callback = "jit.callback", form = %q, v = 1 : i64}} : (tensor<4xi4>) -> tensor<4xi4>
				%%c = stablehlo.convert %%b : (tensor<4xi4>) -> tensor<4xi32>
				%%d = stablehlo.bitcast_convert %%b : (tensor<4xi4>) -> tensor<4xui4>
				%%e = stablehlo.convert %%d : (tensor<4xui4>) -> tensor<4xui32>
				return %%c, %%e : tensor<4xi32>, tensor<4xui32>
			}`, target, form))
			got, err := e.Call(t.Context(), tensor.Vector[int32](-7, -1, 0, 7))
			check.NoError(t, err)
			want := []tensor.View{tensor.Vector[int32](7, 1, 0, -7), tensor.Vector[uint32](7, 1, 0, 9)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]byte{0xf9, 0xff, 0, 7}, seen[0].Data); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Names are held against the calls of the module, also those that it does not need.
func TestJAXNames(t *testing.T) {
	for _, name := range []string{"jit.used", "jit.unused"} {
		register(t, name, func(f *callbacks.Frame) error {
			copy(f.Results[0].Data, f.Args[0].Data)
			return nil
		}, callbacks.Options{})
	}
	const call = `stablehlo.custom_call @xla_ffi_python_cpu_callback(%%x) {api_version = 4 : i32,
		backend_config = {index = %d : ui64}} : (tensor<3xf32>) -> tensor<3xf32>`
	m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
		%%0 = `+call+`
		%%1 = `+call+`
		return %%0 : tensor<3xf32>
	}`, 0, 1))
	e, err := jit.Compile(t.Context(), m, jit.Options{JAXCallbacks: []string{"jit.used", "jit.unused"}})
	check.NoError(t, err)
	got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3))
	check.NoError(t, err)
	if diff := cmp.Diff([]tensor.View{tensor.Vector[float32](1, 2, 3)}, got); diff != "" {
		t.Error(diff)
	}
	check.NoError(t, e.Close())
	_, err = jit.Compile(t.Context(), m, jit.Options{JAXCallbacks: []string{"jit.used", "", "jit.unused"}})
	check.Error(t, err, `JAXCallbacks[2] is "jit.unused", but the module has no call of JAX with the index 2`)
}

// A callback may run modules, also the one that calls it. What ends an inner run leaves the outer one.
func TestNestedRuns(t *testing.T) {
	var e *jit.Executable
	var failed []error // of inner runs
	calls, failure := 0, errors.New("deep enough")
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		if calls++; calls == 4 {
			return failure
		}
		y, err := e.Call(f.Context(), f.Args[0].Clone())
		if err != nil {
			failed = append(failed, err)
			return nil
		}
		copy(f.Args[0].Data, y[0].Data)
		return nil
	}, callbacks.Options{})
	e = compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
		%%a = stablehlo.add %%x, %%x : tensor<3xf32>
		%%b = `+passing+`
		return %%b : tensor<3xf32>
	}`, "%a"))
	got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3))
	check.NoError(t, err)
	if diff := cmp.Diff([]tensor.View{tensor.Vector[float32](8, 16, 24)}, got); diff != "" {
		t.Error(diff)
	}
	if len(failed) != 1 || !errors.Is(failed[0], failure) {
		t.Errorf("the errors of inner runs are %v", failed)
	}
}

// A barrier in a callback would wait for itself, whatever its context and the goroutine that it is on.
func TestBarrierInside(t *testing.T) {
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			var inside error
			register(t, "jit.callback", func(f *callbacks.Frame) error {
				inside = callbacks.Barrier(context.Background(), "inside")
				return nil
			}, callbacks.Options{Dispatch: way})
			e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {
				%%b = `+passing+`
				return %%b : tensor<3xf32>
			}`, "%x"))
			_, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3))
			check.NoError(t, err)
			if !errors.Is(inside, callbacks.ErrBarrierInside) {
				t.Errorf("the barrier inside returned %v", inside)
			}
			check.NoError(t, e.Barrier(t.Context(), "outside"))
		})
	}
}
