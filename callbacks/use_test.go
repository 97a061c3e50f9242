package callbacks_test

import (
	"context"
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Middleware wraps every function, the later outside the earlier, until it is removed.
func TestUse(t *testing.T) {
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer r.Close()
	var said []string
	note := func(text string) callbacks.Middleware {
		return func(next callbacks.Func) callbacks.Func {
			return func(f *callbacks.Frame) error {
				said = append(said, text)
				return next(f)
			}
		}
	}
	errIts := errors.New("its error")
	function := func(f *callbacks.Frame) error {
		said = append(said, f.Name)
		return errIts
	}
	invoke := func(config contract.Config) []string {
		t.Helper()
		said = nil
		config.Form, config.Registry = contract.Call, r.Name()
		slot, err := dispatch.Resolve(config)
		check.NoError(t, err)
		defer slot.Close()
		if err := dispatchtest.Invoke(slot, nil, &callbacks.Frame{Name: config.Name(),
			Config: config}); check.As[*callbacks.CallError](t, err).Err != errIts {
			t.Errorf("the error is %v", err)
		}
		return said
	}
	check.NoError(t, r.Register("before", function, callbacks.Options{}))
	id, err := r.RegisterFunc(function, callbacks.Options{})
	check.NoError(t, err)
	inner, outer := note("inner"), note("outer")
	removeInner := r.Use(inner)
	removeOuter := r.Use(outer)
	removeTwice := r.Use(outer)
	check.NoError(t, r.Register("after", function, callbacks.Options{}))
	before, after, byID := contract.Config{Callback: "before"}, contract.Config{Callback: "after"},
		contract.Config{ID: id}
	check.Diff(t, "before", []string{"outer", "outer", "inner", "before"}, invoke(before))
	check.Diff(t, "after", []string{"outer", "outer", "inner", "after"}, invoke(after))
	check.Diff(t, "by id", []string{"outer", "outer", "inner", byID.Name()}, invoke(byID))
	called := func(ctx context.Context) []string {
		t.Helper()
		said = nil
		group := dispatch.NewGroup(dispatch.GroupOptions{})
		defer group.Close()
		var run dispatch.Run
		group.Begin(ctx, &run, dispatch.RunOptions{})
		defer run.End()
		config := contract.Config{Form: contract.Call, Registry: r.Name(), Callback: "before"}
		slot, err := dispatch.Resolve(config)
		check.NoError(t, err)
		defer slot.Close()
		f := &callbacks.Frame{Name: "before", Config: config}
		check.Report(t, dispatchtest.Invoke(slot, &run, f))
		return said
	}
	own := r.With(t.Context(), "before", func(*callbacks.Frame) error { said = append(said, "its own"); return nil })
	check.Diff(t, "of one run", []string{"outer", "outer", "inner", "its own"}, called(own))
	removeTwice()
	removeTwice()
	check.Diff(t, "one removed", []string{"outer", "inner", "before"}, invoke(before))
	removeInner()
	check.Diff(t, "inner removed", []string{"outer", "after"}, invoke(after))
	removeOuter()
	check.Diff(t, "all removed", []string{"before"}, invoke(before))
}
