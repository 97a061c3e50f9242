package gomlx

import (
	"fmt"

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

// call adds a call of a function that is registered until the executable is freed.
func call(op string, fn callbacks.Func, values []compute.Value, emit func(ir.Callback, []ir.Value)) error {
	if len(values) == 0 {
		return orNoValues(nil, op)
	}
	first, ok := values[0].(value)
	if !ok {
		return errors.WithStack(errForeign(values[0]))
	}
	f, b := first.of, first.of.builder
	vs, err := f.all(values)
	if err != nil {
		return err
	}
	registry := b.backend.session.Registry()
	id, err := registry.RegisterFunc(fn, callbacks.Options{FailRun: true})
	if err != nil {
		return errors.WithStack(fmt.Errorf("%s: %s: %w", Name, op, err))
	}
	b.called = append(b.called, id)
	emit(ir.Callback{ID: id, Registry: registry.Name()}, vs)
	return b.err()
}

// release removes the functions that the computation calls from the registry.
func (b *builder) release() {
	for _, id := range b.called {
		_ = b.backend.session.Registry().UnregisterID(id) // an error says that it is closed
	}
	b.called = nil
}
