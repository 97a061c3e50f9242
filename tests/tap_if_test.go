package tests

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// conditional compiles a function of a pred[] and a f32[3] that main adds to.
func conditional(t *testing.T, main func(cond, x builder.Value)) *bridge.Executable {
	t.Helper()
	b := builder.New(newContext(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.Pred), tensor.ShapeOf(tensor.F32, 3))
	x := builder.Neg(f.Param(1))
	main(f.Param(0), x)
	f.Return(builder.Neg(x))
	m, err := b.Module()
	check.NoError(t, err)
	defer m.Close()
	return compile(t, m)
}

func runIf(t *testing.T, e *bridge.Executable, cond bool) error {
	t.Helper()
	outputs, err := e.Run(t.Context(), tensor.Scalar(cond), tensor.Vector[float32](1, 2, 3))
	for _, b := range outputs {
		check.Report(t, b.Close())
	}
	return err
}

// TestTapIf holds that a tap with a condition is called where it holds, in the order of
// the others.
func TestTapIf(t *testing.T) {
	var called []string
	for _, name := range []string{"first", "if", "last"} {
		err := callbacks.Default.Register(name,
			func(c *callbacks.Frame) error { called = append(called, c.Name); return nil }, callbacks.Options{})
		check.NoError(t, err)
		defer callbacks.Default.Unregister(name)
	}
	e := conditional(t, func(cond, x builder.Value) {
		builder.Tap(x, builder.Callback{Name: "first"})
		builder.TapIf(cond, []builder.Value{x, x}, builder.Callback{Name: "if"})
		builder.Tap(x, builder.Callback{Name: "last"})
	})
	for _, cond := range []bool{true, false, true} {
		check.NoError(t, runIf(t, e, cond))
	}
	want := strings.Fields("first if last first last first if last")
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestCheck holds that a check fails the run where its condition is false, and does
// nothing else.
func TestCheck(t *testing.T) {
	if err := callbacks.Default.Register("positive", callbacks.Check("a loss must be positive", "losses"),
		callbacks.Options{}); err != nil {
		t.Fatal(err)
	}
	defer callbacks.Default.Unregister("positive")
	e := conditional(t, func(cond, x builder.Value) {
		builder.Check(cond, x, builder.Callback{Name: "positive"})
	})
	for _, cond := range []bool{true, false, true} {
		err := runIf(t, e, cond)
		var failed *callbacks.CheckError
		if errors.As(err, &failed) == cond {
			t.Fatalf("with %t the error is %v", cond, err)
		}
		if cond {
			continue
		}
		if want := []tensor.View{tensor.Vector[float32](-1, -2, -3)}; !cmp.Equal(want, failed.Args) {
			t.Errorf("it shows %v", failed.Args)
		}
		if text := err.Error(); !strings.Contains(text, `"positive", called at tests/tap_if_test.go:`) ||
			!strings.Contains(text, "the check failed: a loss must be positive; losses = f32[3]") {
			t.Errorf("error is %q", text)
		}
	}
}
