package stages_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestFirstError has a callback that fails in a loop, while a step beside the loop ends because the run has failed.
func TestFirstError(t *testing.T) {
	var started sync.WaitGroup
	started.Add(2)
	beside := make(chan struct{})
	register(t, "fails", func(*callbacks.Frame) error { started.Wait(); return errCallback }, callbacks.Options{})
	register(t, "holds", func(*callbacks.Frame) error { started.Done(); <-beside; return nil }, callbacks.Options{})
	register(t, "beside", func(f *callbacks.Frame) error {
		started.Done()
		<-f.Context().Done()
		defer close(beside)
		return f.Context().Err()
	}, callbacks.Options{})
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", shape)
	type state struct{ I, V builder.Value }
	call := func(name string, v builder.Value) builder.Value {
		return builder.RuntimeCall(builder.Like(v.Shape()), v, builder.Callback{Name: name})
	}
	s := builder.While(state{builder.Scalar(f, int32(0)), f.Param(0)},
		func(s state) builder.Value { return builder.Lt(s.I, int32(1)) },
		func(s state) state {
			return state{builder.Add(s.I, int32(1)), builder.Add(call("fails", s.V), call("holds", s.V))}
		}, builder.LoopOptions{})
	f.Return(s.V, call("beside", f.Param(0)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	_, err = staged(t, m, "fails", "holds", "beside").Call(t.Context(), floats(1, 2, 3, 4))
	check.Diff(t, "the first error", true, errors.Is(err, errCallback))
	checkCallError(t, err, 0)
}
