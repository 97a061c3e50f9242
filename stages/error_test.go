package stages_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
)

var errCallback = errors.New("the callback's own error")

// checkCallError checks the text of an error of the callback "fails", which a device called.
func checkCallError(t *testing.T, err error, device int) {
	t.Helper()
	at := check.As[*callbacks.CallError](t, err).Loc
	check.Diff(t, "the place has a line of a test", true, strings.Contains(at, "_test.go:"))
	check.Text(t, err,
		fmt.Sprintf(`callbacks: callback "fails", called at %s, on device %d: the callback's own error`, at, device))
}

// one returns a module that calls a callback in a loop that runs three times.
func one(t *testing.T, name string) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	type state struct{ I, V builder.Value }
	s := builder.While(state{builder.Scalar(f, int32(0)), f.Param(0)},
		func(s state) builder.Value { return builder.Lt(s.I, int32(3)) },
		func(s state) state {
			return state{builder.Add(s.I, int32(1)), builder.RuntimeCall(s.V, s.V, builder.Callback{Name: name})}
		}, builder.LoopOptions{})
	f.Return(s.V)
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// staged compiles a module in stages on a client.
func staged(t *testing.T, m *mlir.Module, names ...string) engine.Executable {
	t.Helper()
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(newClient(t).Engine()), Force: cutAll(names...)})
	check.NoError(t, err)
	check.Cleanup(t, e)
	return e
}

func TestCallbackErrors(t *testing.T) {
	calls := 0
	register(t, "fails", func(f *callbacks.Frame) error {
		if calls++; calls == 2 {
			return errCallback
		}
		return double(f)
	}, callbacks.Options{})
	e := staged(t, one(t, "fails"), "fails")
	_, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.Diff(t, "the callback's own error", true, errors.Is(err, errCallback))
	checkCallError(t, err, 0)
	check.Diff(t, "calls", 2, calls)

	got, err := e.Call(t.Context(), floats(1, 2, 3, 4)) // the next run is a new one
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[4] [8 16 24 32]]", fmt.Sprint(got))

	register(t, "panics", func(*callbacks.Frame) error { panic("oh") }, callbacks.Options{})
	_, err = staged(t, one(t, "panics"), "panics").Call(t.Context(), floats(1, 2, 3, 4))
	if panicked := new(callbacks.PanicError); !errors.As(err, &panicked) {
		t.Errorf("got %v, want a PanicError", err)
	}
}

// No compiled code waits for a callback between stages, so runtime.Goexit in it fails the run.
func TestGoexit(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_GOEXIT") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestGoexit$", "-test.timeout=60s")
		child.Env = append(os.Environ(), "CALLIOPE_TEST_GOEXIT=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	leaves := true
	register(t, "leaves", func(f *callbacks.Frame) error {
		if leaves {
			runtime.Goexit()
		}
		return double(f)
	}, callbacks.Options{})
	e := staged(t, one(t, "leaves"), "leaves")
	_, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.Diff(t, "callback", "leaves", check.As[*callbacks.CallError](t, err).Callback)
	check.As[*callbacks.GoexitError](t, err)
	leaves = false
	got, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[4] [8 16 24 32]]", fmt.Sprint(got))
}

func TestTimeouts(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	register(t, "slow", func(*callbacks.Frame) error { <-over; return nil },
		callbacks.Options{Timeout: 50 * time.Millisecond})
	_, err := staged(t, one(t, "slow"), "slow").Call(t.Context(), floats(1, 2, 3, 4))
	if late := new(callbacks.TimeoutError); !errors.As(err, &late) {
		t.Errorf("got %v, want a TimeoutError", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{}, 1)
	register(t, "waits", func(f *callbacks.Frame) error {
		started <- struct{}{}
		<-f.Context().Done()
		return f.Context().Err()
	}, callbacks.Options{})
	go func() { <-started; cancel() }()
	_, err = staged(t, one(t, "waits"), "waits").Call(ctx, floats(1, 2, 3, 4))
	check.Diff(t, "cancelled", true, errors.Is(err, context.Canceled))
}

func TestRefused(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	m := one(t, "double")
	client := newClient(t)
	for _, test := range []struct {
		o    stages.Options
		want string
	}{
		{stages.Options{Force: map[string]stages.Decision{"double": stages.Inline}},
			"the JIT compiler cannot call back: use Boundary"},
		{stages.Options{Force: map[string]stages.Decision{"double": stages.Lower}},
			"Options.Lower has no function of that name"},
		{stages.Options{Force: map[string]stages.Decision{"double": 9}}, "which is no decision"},
		{stages.Options{Lower: map[string]stages.Lowering{"double": nil}}, `Options.Lower["double"] is nil`},
	} {
		_, err := stages.Cut(m, test.o)
		check.Error(t, err, test.want)
	}
	e := staged(t, m, "double")
	_, err := e.Call(t.Context())
	if count := new(engine.InputCountError); !errors.As(err, &count) {
		t.Errorf("got %v, want an InputCountError", err)
	}
	_, err = e.Call(t.Context(), floats(1))
	if input := new(engine.InputError); !errors.As(err, &input) {
		t.Errorf("got %v, want an InputError", err)
	}
	_, err = e.Run(t.Context(), "text")
	check.Error(t, err, "input 0: a string is not an Input")
	_, err = stages.Compile(t.Context(), one(t, "nobody"),
		stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("nobody")})
	if unknown := new(callbacks.UnknownError); !errors.As(err, &unknown) {
		t.Errorf("got %v, want an UnknownError", err)
	}
	check.NoError(t, e.Close())
	_, err = e.Call(t.Context(), floats(1, 2, 3, 4))
	check.Error(t, err, "the program is closed")
	check.Diff(t, "ErrClosed of a program", true, errors.Is(err, stages.ErrClosed))
	plan, err := stages.Cut(one(t, "nobody"), stages.Options{})
	check.NoError(t, err)
	check.NoError(t, plan.Close())
	_, err = plan.Compile(t.Context())
	check.Diff(t, "ErrClosed of a plan", true, errors.Is(err, stages.ErrClosed))
	_, err = plan.Serialize()
	check.Diff(t, "ErrClosed of a plan", true, errors.Is(err, stages.ErrClosed))

	inReduce := mlirtest.Parse(t, mlirtest.Context(t),
		`func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
     %c = stablehlo.custom_call @calliope_runtime_call(%a) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "pure", callback = "double"}} : (tensor<f32>) -> tensor<f32>
     stablehlo.return %c : tensor<f32>
   }
  return %r : tensor<f32>
}`)
	_, err = stages.Cut(inReduce, stages.Options{})
	check.Error(t, err, `the callback "double" is in a stablehlo.reduce, which cannot be cut`)
	if at := new(stages.CutError); !errors.As(err, &at) || at.Operation != "stablehlo.custom_call" {
		t.Errorf("got %v, want a CutError", err)
	}
}

func TestLower(t *testing.T) {
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	f.Return(builder.PureCall(f.Param(0), builder.Neg(f.Param(0)), builder.Callback{Name: "square"}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	square := func(args []builder.Value) []builder.Value { return []builder.Value{builder.Mul(args[0], args[0])} }
	o := stages.Options{Lower: map[string]stages.Lowering{"square": square}} // nobody is registered
	e, err := stages.Compile(t.Context(), m, o)
	check.NoError(t, err)
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), floats(1, -2, 3, -4))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[4] [1 4 9 16]]", fmt.Sprint(got))
	plan, err := stages.Cut(m, o)
	check.NoError(t, err)
	check.Cleanup(t, plan)
	check.Diff(t, "stages", 1, len(plan.Stages()))
	check.Diff(t, "decision", stages.Lower, plan.Callbacks()[0].Decision)

	for want, wrong := range map[string]stages.Lowering{
		"returns 0 values, and the module wants 1": func([]builder.Value) []builder.Value { return nil },
		"returns f32[] as result 0": func(a []builder.Value) []builder.Value {
			return []builder.Value{builder.ReduceSum(a[0])}
		},
		"the function panicked: oh": func([]builder.Value) []builder.Value { panic("oh") },
	} {
		_, err := stages.Cut(m, stages.Options{Lower: map[string]stages.Lowering{"square": wrong}})
		check.Error(t, err, `lowering the callback "square"`, want)
	}
}

func TestExplain(t *testing.T) {
	register(t, "double", double, callbacks.Options{Measure: true})
	m := one(t, "double")
	client := newClient(t)
	plan, err := stages.Cut(m, stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("double")})
	check.NoError(t, err)
	check.Cleanup(t, plan)
	text, dot := plan.Explain(), plan.DOT()
	for _, want := range []string{"double", "while", "cut", "Options.Force", "16"} {
		if !strings.Contains(text, want) {
			t.Errorf("Explain lacks %q:\n%s", want, text)
		}
	}
	for _, want := range []string{"digraph plan {", `label="double"`, "cluster_", "stage 0"} {
		if !strings.Contains(dot, want) {
			t.Errorf("DOT lacks %q:\n%s", want, dot)
		}
	}
	e, err := plan.Compile(t.Context())
	check.NoError(t, err)
	_, err = e.Call(t.Context(), floats(1, 2, 3, 4))
	check.NoError(t, err)
	if line := strings.Split(plan.Explain(), "\n")[3]; !strings.Contains(line, "s  ") ||
		strings.Contains(line, "  -  stages/") {
		t.Errorf("no time in %q", line)
	}
	check.NoError(t, e.Close())
}

// A name of Force that is like one of the module is logged, but not names of other modules.
func TestForceMisspelled(t *testing.T) {
	var lines bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	m := one(t, "double")
	for _, test := range []struct {
		force map[string]stages.Decision
		want  string
	}{
		{cutAll("doubel"), "name=doubel nearest=double\n"},
		{cutAll("double", "doubel", "another"), ""},
		{cutAll("another"), ""},
	} {
		lines.Reset()
		plan, err := stages.Cut(m, stages.Options{Force: test.force})
		check.NoError(t, err)
		check.NoError(t, plan.Close())
		if got := lines.String(); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%v: logged %q, want %q", test.force, got, test.want)
		}
	}
}
