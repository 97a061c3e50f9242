package gomlx

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope"
	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// Tap calls a Go function with values of a computation each time that an execution computes them, also in loops and
// branches: in the innermost function that the values are of. Package callbacks makes such functions: callbacks.Tap
// of a function with typed arguments, and callbacks.Print. The calls of one effect are in the order of the Taps. If
// the function returns an error or panics, that is the error of Execute, unless the call is Async.
//
// Package host has Tap, and the others, for nodes of GoMLX.
func Tap(values []compute.Value, fn callbacks.Func, o ...calliope.CallOptions) error {
	_, err := call("tap", values, fn, o, func(_ *trace, cb ir.Callback, vs []ir.Value) []ir.Value {
		ir.Tap(vs, cb)
		return nil
	})
	return err
}

// Check is Tap for executions in which cond, a boolean scalar, is false: see callbacks.Check. If cond is true, nothing
// is called and nothing is copied.
func Check(cond compute.Value, values []compute.Value, fn callbacks.Func, o ...calliope.CallOptions) error {
	values = append([]compute.Value{cond}, values...)
	_, err := call("check", values, fn, o, func(_ *trace, cb ir.Callback, vs []ir.Value) []ir.Value {
		ir.Check(vs[0], vs[1:], cb)
		return nil
	})
	return err
}

// RuntimeCall is Tap for a function with results, of the shapes that are given: see callbacks.Call. The call is always
// made, even if its results are not used.
func RuntimeCall(
	results []shapes.Shape, values []compute.Value, fn callbacks.Func, o ...calliope.CallOptions,
) ([]compute.Value, error) {
	return callFor("runtime call", results, values, fn, o, ir.RuntimeCall[[]ir.Value, []ir.Value])
}

// PureCall is RuntimeCall for a function whose results depend on its arguments only, and that has no other effect: the
// call may be left out, moved, or merged with an equal one.
func PureCall(
	results []shapes.Shape, values []compute.Value, fn callbacks.Func, o ...calliope.CallOptions,
) ([]compute.Value, error) {
	return callFor("pure call", results, values, fn, o, ir.PureCall[[]ir.Value, []ir.Value])
}

// callFor adds a call with results.
func callFor(
	op string, results []shapes.Shape, values []compute.Value, fn callbacks.Func, o []calliope.CallOptions,
	emit func(template, args []ir.Value, cb ir.Callback) []ir.Value,
) ([]compute.Value, error) {
	like := make([]tensor.Shape, len(results))
	for i, r := range results {
		var err error
		if like[i].DType, err = element(r.DType); err != nil {
			return nil, errors.WithStack(fmt.Errorf("%s: %s: result %d: %w", Name, op, i, err))
		}
	}
	return call(op, values, fn, o, func(t *trace, cb ir.Callback, vs []ir.Value) []ir.Value {
		template := make([]ir.Value, len(like))
		for i, s := range like {
			s.Dims = t.dims(results[i])
			template[i] = ir.Like(s)
		}
		return emit(template, vs, cb)
	})
}

// Return makes the innermost function of some values return them, in place of what GoMLX makes it return. GoMLX makes
// nodes only of what its own operations return: by this those of a graph.Function can be of anything.
func Return(values ...compute.Value) error {
	f, err := innermost("return", values)
	if err == nil {
		f.returns, err = f.own(values)
	}
	return err
}

// call adds a call of a function that is registered until the executable is freed, or the builder if it is never
// compiled.
func call(
	op string, values []compute.Value, fn callbacks.Func, o []calliope.CallOptions,
	emit func(*trace, ir.Callback, []ir.Value) []ir.Value,
) ([]compute.Value, error) {
	f, err := innermost(op, values)
	if err != nil {
		return nil, err
	}
	vs, err := f.own(values)
	if err != nil {
		return nil, err
	}
	cb, err := f.builder.called.register(fn, calliope.CallOptions{}.Merge(o...))
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: %s: %w", Name, op, err))
	}
	return f.values(func(t *trace) { t.add(emit(t, cb, t.all(f, vs))...) })
}

// innermost returns the innermost of the functions that values are of.
func innermost(op string, values []compute.Value) (*function, error) {
	var f *function
	for _, v := range values {
		own, ok := v.(value)
		if !ok {
			return nil, errors.WithStack(errForeign(v))
		}
		if f == nil || f.encloses(own.of) {
			f = own.of
		}
	}
	if f == nil {
		return nil, orNoValues(nil, op)
	}
	return f, nil
}

// called are the Go functions that a computation calls.
type called struct {
	backend *Backend

	mu    sync.Mutex
	ids   []int64
	users int // the builder and the compiled programs; without any the functions are released
}

// register registers a function.
func (c *called) register(fn callbacks.Func, o calliope.CallOptions) (ir.Callback, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	registry := c.backend.session.Registry()
	id, err := registry.RegisterFunc(fn, callbacks.Options{
		Dispatch: o.Dispatch, Timeout: o.Timeout, PerSecond: o.PerSecond, Parallel: o.Parallel,
		FailRun: o.Dispatch != callbacks.Async,
	})
	if err == nil {
		c.ids = append(c.ids, id)
		c.backend.called.Store(c, nil)
	}
	return ir.Callback{
		ID: id, Registry: registry.Name(), Effect: o.Effect, Every: o.Every, Policy: o.Policy, Batch: o.Batch,
	}, err
}

func (c *called) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users++
}

// drop is the reverse of keep.
func (c *called) drop() {
	c.mu.Lock()
	c.users--
	last := c.users == 0
	c.mu.Unlock()
	if last {
		c.release()
	}
}

func (c *called) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.ids {
		_ = c.backend.session.Registry().UnregisterID(id) // an error says that it is closed
	}
	c.ids = nil
	c.backend.called.Delete(c)
}
