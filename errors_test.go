package calliope_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func negate(x builder.Value) builder.Value { return builder.Neg(x) }

// TestErrors makes the mistakes of newcomers. Each error names the place and the remedy.
func TestErrors(t *testing.T) {
	neg := calliope.Func(negate)
	check.Cleanup(t, neg)
	var itself *calliope.Function
	itself = calliope.Func(func(x builder.Value) builder.Value {
		_, err := itself.Call(context.Background(), float32(1))
		check.Error(t, err, "the Go function calls the Function that is made of it: call the Go function itself")
		return x
	})
	add := func(p params[builder.Value], x builder.Value) builder.Value { return builder.Add(p.Kernel, x) }
	two := params[[]float32]{Kernel: []float32{1, 2}}
	for name, test := range map[string]struct {
		fn   any
		args []any
		want []string
	}{
		"shapes": {add, []any{two, []float32{1, 2, 3}}, []string{"errors_test.go:", "add(f32[2], f32[3])"}},
		"tree": {add, []any{struct{ Kernel, Layer []float32 }{}, float32(1)},
			[]string{"argument 0 has another structure:",
				"given {Kernel: an array, Layer: an array}", "takes {Kernel: an array, Layers: a slice of {Scale: an array, Shift: an array}, Named: a map from string to an array}"}},
		"field": {add, []any{struct{ Kernel, Shifts, Named []float32 }{}, float32(1)},
			[]string{"argument 0.Shifts is given for the field Layers"}},
		"no array": {add, []any{two, "1"}, []string{"argument 1 is a string", "use calliope.Array, tensor.View"}},
		"parameter": {func(x float32) builder.Value { return builder.Value{} }, nil,
			[]string{"the parameter 0 is a float32", "use builder.Value"}},
		"returns error": {func(x builder.Value) (builder.Value, error) { return x, nil }, nil,
			[]string{"the result 1 is an interface, error, which hides its tree", "use builder.Value"}},
		"returns none": {func(x builder.Value) builder.Value { return builder.Value{} }, []any{float32(1)},
			[]string{"errors_test.go:", "result 0 is the zero Value"}},
		"calls itself": {func(x builder.Value) builder.Value { return builder.Neg(x) }, []any{builder.Value{}},
			[]string{"argument 0 is a builder.Value: call the Go function itself"}},
		"closure's type": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(context.Context, []float32) error { return nil })
			return x
		},
			[]any{float32(1)},
			[]string{"errors_test.go:", "argument 0: takes f32[?], given f32[]"}},
		"closure's tree": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(context.Context, params[float32]) error { return nil })
			return x
		},
			[]any{float32(1)},
			[]string{"errors_test.go:", "tap", "the argument"}},
		"closure of no array": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(context.Context, chan int) error { return nil })
			return x
		},
			[]any{float32(1)},
			[]string{"errors_test.go:", "tap: the argument is a chan int, which cannot be part of a tree: use tensor.View"}},
		"closure of values": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(context.Context, builder.Value) error { return nil })
			return x
		},
			[]any{float32(1)},
			[]string{"errors_test.go:", "tap: the argument is a builder.Value, and the closure gets arrays of the host"}},
		"closure of a tree, an array given": {func(x builder.Value) builder.Value {
			calliope.Tap(struct{ A builder.Value }{x}, func(context.Context, float32) error { return nil })
			return x
		}, []any{float32(1)},
			[]string{"errors_test.go:", "the argument has another structure:\n  given {A: an array}\n  takes an array"}},
		"closure without function": {func(x builder.Value) builder.Value {
			calliope.Tap[builder.Value, float32](x, nil)
			return x
		},
			[]any{float32(1)}, []string{"errors_test.go:", "tap: callbacks: the function is nil"}},
		"closure's result": {func(x builder.Value) builder.Value {
			return calliope.RuntimeCall(x, x, func(context.Context, float32) (string, error) { return "", nil })
		}, []any{float32(1)},
			[]string{"errors_test.go:", "runtime call: the result is a string, which cannot be part of a tree: use tensor.View"}},
		"closure's field": {func(x builder.Value) builder.Value {
			calliope.Tap(struct{ x builder.Value }{x}, func(context.Context, struct{ x float32 }) error { return nil })
			return x
		}, []any{float32(1)}, []string{"errors_test.go:", "tap: the field x of struct", "is not exported"}},
		"closure without a value": {func(x builder.Value) builder.Value {
			calliope.Tap(struct{}{}, func(context.Context, struct{}) error { return nil })
			return x
		},
			[]any{float32(1)},
			[]string{"errors_test.go:", "tap: the argument has no builder.Value: give one"}},
		"closure with a text": {func(x builder.Value) builder.Value { calliope.Print("{x}", "text"); return x },
			[]any{float32(1)},
			[]string{"errors_test.go:", "print: the argument is a string, which cannot be part of a tree: use builder.Value"}},
		"closure with an interface": {func(x builder.Value) builder.Value {
			calliope.Tap([]any{x}, func(context.Context, []float32) error { return nil })
			return x
		},
			[]any{float32(1)}, []string{"errors_test.go:", "tap: the argument[0] is an interface, interface {}, which hides"}},
		"no condition": {func(x builder.Value) builder.Value { calliope.Check(builder.Value{}, x, "no"); return x },
			[]any{float32(1)}, []string{"errors_test.go:", "check: the condition is the zero Value"}},
		"returns an interface": {func(x builder.Value) any { return x }, []any{float32(1)},
			[]string{"the result 0 is an interface, interface {}, which hides its tree: use builder.Value"}},
		"gradient": {builder.Grad(negate), []any{[]float32{1}},
			[]string{"errors_test.go:", "grad(f32[1]): its Go function at ", "errors_test.go:", "returns f32[1]"}},
		"closure panics": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(context.Context, float32) error { panic("no luck") })
			return x
		}, []any{float32(1)}, []string{"called at", "the function panicked at", "errors_test.go:", "no luck"}},
		"calls in a closure": {func(x builder.Value) builder.Value {
			calliope.Tap(x, func(ctx context.Context, x float32) error { _, err := neg.Call(ctx, x); return err })
			return x
		}, []any{float32(1)},
			[]string{"errors_test.go:", "a callback cannot execute on its own client", "a session of its own"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := calliope.Func(test.fn)
			check.Cleanup(t, f)
			_, err := f.Call(t.Context(), test.args...)
			check.Error(t, err, test.want...)
		})
	}
	_, err := itself.Call(t.Context(), float32(1))
	check.NoError(t, err)
	check.NoError(t, itself.Close())

	_, err = calliope.Call[[]int32](t.Context(), neg, []float32{1})
	check.Error(t, err, "the result is a []int32, which cannot hold f32[1]")
	_, err = calliope.Call[chan int](t.Context(), neg, []float32{1})
	check.Error(t, err, "the result is a chan int, and the function returns f32[1]: use calliope.Array")
}

// TestResultType holds that a type that cannot hold the results is an error before the run, which would have used up
// what is donated.
func TestResultType(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		calls := 0
		f := calliope.FuncWith(func(x builder.Value) (a, b builder.Value) {
			return calliope.Passthrough(x, func(context.Context, []float32) error { calls++; return nil }),
				builder.Convert(x, tensor.S32)
		}, calliope.FuncOptions{Session: s, Donate: []int{0}})
		check.Cleanup(t, f)
		x := check.Must(s.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2), 0))
		_, err := calliope.Call[struct{ A, B []float32 }](t.Context(), f, x)
		check.Error(t, err, "the result.B is a []float32, which cannot hold s32[2]")
		_, err = calliope.Call[struct {
			A []float32
			B int32
		}](t.Context(), f, x)
		check.Error(t, err, "the result.B is a int32, which cannot hold s32[2]")
		_, err = calliope.Call[[]float32](t.Context(), f, x)
		check.Error(t, err, "the function has 2 results: use a struct with as many fields for them")
		check.Diff(t, "calls", 0, calls)
		got, err := calliope.Call[struct {
			A []float32
			B []int32
		}](t.Context(), f, x)
		check.NoError(t, err)
		check.Diff(t, "A", []float32{1, 2}, got.A)
		check.Diff(t, "B", []int32{1, 2}, got.B)
		check.Diff(t, "calls", 1, calls)
	})
}

// TestInnerSession follows the advice of the error for calls in a closure.
func TestInnerSession(t *testing.T) {
	s := check.Must(calliope.Open(t.Context(), calliope.Options{}))
	check.Cleanup(t, s)
	inner := calliope.FuncWith(negate, calliope.FuncOptions{Session: s})
	check.Cleanup(t, inner)
	f := calliope.Func(func(x builder.Value) builder.Value {
		return calliope.RuntimeCall(x, x, func(ctx context.Context, x float32) (float32, error) {
			return calliope.Call[float32](ctx, inner, x)
		})
	})
	check.Cleanup(t, f)
	y, err := calliope.Call[float32](t.Context(), f, float32(3))
	check.NoError(t, err)
	check.Diff(t, "y", float32(-3), y)
}

// TestPanic holds that a panic of the Go function is one of the call, and that further calls do not wait for it.
func TestPanic(t *testing.T) {
	panics := true
	f := calliope.Func(func(x builder.Value) builder.Value {
		if panics {
			panic("not today")
		}
		return x
	})
	check.Cleanup(t, f)
	check.Panics(t, "not today", func() { _, _ = f.Call(t.Context(), float32(1)) })
	panics = false
	_, err := f.Call(t.Context(), float32(1))
	check.NoError(t, err)
}

func TestClosedSession(t *testing.T) {
	onEngines(t, func(t *testing.T, s *calliope.Session) {
		f := calliope.FuncWith(negate, calliope.FuncOptions{Session: s})
		_, err := calliope.Call[float32](t.Context(), f, float32(1))
		check.NoError(t, err)
		check.NoError(t, s.Close())
		for _, x := range []any{float32(1), []float32{1}} { // compiled before, and not
			_, err = f.Call(t.Context(), x)
			check.Error(t, err, "the session is closed: call the function before Session.Close")
			if !errors.Is(err, bridge.ErrClosed) {
				t.Errorf("%v is not ErrClosed", err)
			}
		}
		check.NoError(t, f.Close())
	})
}

// TestOffline runs a process that has no native parts.
func TestOffline(t *testing.T) {
	const child = "CALLIOPE_TEST_OFFLINE"
	if os.Getenv(child) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOffline$")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	t.Setenv("CALLIOPE_CACHE", t.TempDir())
	for _, p := range native.DefaultParts() {
		t.Setenv(p.Env(), "")
	}
	_, err := calliope.Open(t.Context(), calliope.Options{Offline: true})
	check.Error(t, err, "not found", version.Fetch)
	if !strings.HasPrefix(err.Error(), "calliope: ") {
		t.Errorf("the error is %v", err)
	}
}

// TestClosureError holds that the error of a closure is that of the call.
func TestClosureError(t *testing.T) {
	no := errors.New("no")
	f := calliope.Func(func(x builder.Value) builder.Value {
		calliope.Tap(x, func(context.Context, float32) error { return no })
		return x
	})
	check.Cleanup(t, f)
	_, err := f.Call(t.Context(), float32(1))
	if call := new(callbacks.CallError); !errors.Is(err, no) || !errors.As(err, &call) ||
		!strings.Contains(call.Loc, "errors_test.go:") {
		t.Errorf("the error is %v", err)
	}
}

// A Go function that waits for a call of its own Function on another goroutine does not wait for ever.
func TestRecursionElsewhere(t *testing.T) {
	calliope.LimitTraces(t, 50*time.Millisecond)
	var f *calliope.Function
	inner := make(chan error)
	f = calliope.Func(func(x builder.Value) builder.Value {
		go func() {
			_, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
			inner <- err
		}()
		check.Error(t, <-inner, "if it calls the Function that is made of it, let it call the Go function itself")
		return builder.Add(x, x)
	})
	check.Cleanup(t, f)
	got, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "result", []float32{2, 4}, got)
}

// An option that only XLA has is not left out in silence beside another engine.
func TestOptionsOfXLA(t *testing.T) {
	for name, o := range map[string]calliope.Options{
		"Cache": {Cache: "folder"}, "Plugin": {Plugin: bridge.OpenOptions{Debug: true}},
		"Client": {Client: bridge.ClientOptions{MemoryLimit: 1}},
	} {
		o.Engine = jit.Engine()
		_, err := calliope.Open(t.Context(), o)
		check.Error(t, err, "the option "+name+" is for XLA, and Options.Engine is the JIT compiler")
	}
}
