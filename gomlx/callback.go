package gomlx

import (
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
)

// Tap calls a Go function with values of a computation each time that an execution computes them, also in loops and
// branches. Package callbacks makes such functions: callbacks.Tap of a function with typed arguments, and
// callbacks.Print. The calls are in the order of the Taps. If the function returns an error or panics, that is the
// error of Execute.
//
// The values of a node of GoMLX are those of graph.InternalBackendOutputs.
func Tap(fn callbacks.Func, values ...compute.Value) error {
	return call("tap", fn, values, func(cb ir.Callback, vs []ir.Value) { ir.Tap(cb, vs) })
}

// Check is Tap for executions in which cond, a boolean scalar, is false: see callbacks.Check. If cond is true, nothing
// is called and nothing is copied.
func Check(cond compute.Value, fn callbacks.Func, values ...compute.Value) error {
	return call("check", fn, append([]compute.Value{cond}, values...), func(cb ir.Callback, vs []ir.Value) {
		ir.Check(vs[0], cb, vs[1:])
	})
}

// call adds a call of a function that is registered until the executable is freed, or the builder if it is never
// compiled.
func call(op string, fn callbacks.Func, values []compute.Value, emit func(ir.Callback, []ir.Value)) error {
	if len(values) == 0 {
		return orNoValues(nil, op)
	}
	first, ok := values[0].(value)
	if !ok {
		return errors.WithStack(errForeign(values[0]))
	}
	f, b := first.of, first.of.builder
	vs, err := f.own(values)
	if err != nil {
		return err
	}
	cb, err := b.called.register(fn)
	if err != nil {
		return errors.WithStack(fmt.Errorf("%s: %s: %w", Name, op, err))
	}
	return b.do(func(t *trace) { emit(cb, t.all(f, vs)) })
}

// called are the Go functions that a computation calls.
type called struct {
	backend *Backend

	mu    sync.Mutex
	ids   []int64
	users int // the builder and the compiled programs; without any the functions are released
}

// register registers a function.
func (c *called) register(fn callbacks.Func) (ir.Callback, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	registry := c.backend.session.Registry()
	id, err := registry.RegisterFunc(fn, callbacks.Options{FailRun: true})
	if err == nil {
		c.ids = append(c.ids, id)
		c.backend.called.Store(c, nil)
	}
	return ir.Callback{ID: id, Registry: registry.Name()}, err
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
