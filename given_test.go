package calliope_test

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A method that is called on a zero value or a nil pointer says so.
func TestZeroValues(t *testing.T) {
	check.Receivers(t, "calliope: ", &calliope.CallOptions{}, &calliope.FuncOptions{}, &calliope.Function{},
		&calliope.Options{}, &calliope.Session{})
	check.Panics(t, "calliope: Function.Call called on a nil pointer",
		func() { _, _ = calliope.Call[float64](t.Context(), nil, 1.0) })
	check.Panics(t, "calliope: Function.Call called on a zero value",
		func() { _, _ = calliope.Call[float64](t.Context(), new(calliope.Function), 1.0) })
}

// A nil context, function or tree is an error.
func TestNilArguments(t *testing.T) {
	const noContext = "calliope: the context is nil: give context.Background()"
	var ctx context.Context
	_, err := calliope.Open(ctx, calliope.Options{})
	check.Error(t, err, noContext)
	_, err = calliope.Default(ctx)
	check.Error(t, err, noContext)
	f := calliope.Func(twice)
	check.Cleanup(t, f)
	_, err = calliope.Call[float64](ctx, f, 1.0)
	check.Error(t, err, noContext)
	_, err = calliope.Call[float64](t.Context(), calliope.Func(nil), 1.0)
	check.Error(t, err, "calliope: Func: the function is nil")
	_, err = calliope.Call[float64](t.Context(),
		calliope.FuncWith(twice, calliope.FuncOptions{Session: new(calliope.Session)}), 1.0)
	check.Error(t, err, "calliope: the session is a zero Session: get one from Open")
	check.Error(t, calliope.Restore[float64]("none", nil), "calliope: Restore: the tree is nil")
}

func twice(x builder.Value) builder.Value { return builder.Add(x, x) }
