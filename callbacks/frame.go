package callbacks

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch/access"
	"github.com/calliope-mlir/calliope/tensor"
)

// Func is a function that a compiled program calls. It may be called on several
// threads at once, also by one run. What it returns as an error, or panics with,
// fails the run, but for a tap's (see Options.FailRun). Called Inline it must not call
// runtime.Goexit (nor t.Fatal): on a thread of the runtime that ends the process, with a
// line on stderr that names the callback. In every other way it is a *GoexitError.
type Func func(*Frame) error

// Frame is one call of a callback: what XLA's call frame holds. It is valid until the
// function returns.
type Frame struct {
	Name   string // the callback's name, or "id N"
	Config contract.Config

	// Args and Results are the data operands and results. They are views on the runtime's
	// own memory; with another Dispatch than Inline they are on copies, which later calls
	// use again. Either way a function that keeps one must Clone it. In the passthrough
	// form Results[i] is the memory of Args[i]; in the observe form there are no Results;
	// in the others the function fills the memory of Results[i], and must not write to
	// Args, which may be an array that others read. A view that is put in the place of
	// Results[i] is a *ReplacedError.
	Args, Results []tensor.View
	IDs           []tensor.View // operands that are ids

	Static []any // what Options.Static bound; not to be changed

	Device int   // ordinal of the device that calls
	RunID  int64 // the run that the call belongs to; 0 when the runtime does not say

	set access.Frame // by the runtime
}

// Context returns the context of the run, which ends when the run is cancelled.
func (f *Frame) Context() context.Context {
	if f.set.Context != nil {
		return *f.set.Context
	}
	return context.Background()
}

// WithContext returns a copy of the frame whose context is ctx: for a Middleware, and for
// tests of a Func.
func (f *Frame) WithContext(ctx context.Context) *Frame {
	c := *f
	c.set.Context = &ctx
	return &c
}

// Aliased reports whether result i is the memory of operand i in the runtime, so that
// nothing was copied for it.
func (f *Frame) Aliased(i int) bool { return i >= 0 && i < len(f.set.Aliased) && f.set.Aliased[i] }

// Static is the i-th static argument of a call, as a T. A call without it, or with
// one of another type, is an error.
func Static[T any](f *Frame, i int) (T, error) {
	var zero T
	if f == nil {
		return zero, errors.New("callbacks: there is no call that could have static arguments")
	}
	if i < 0 || i >= len(f.Static) {
		return zero, fmt.Errorf("callbacks: callback %q has %d static arguments, there is none with the index %d", f.Name, len(f.Static), i)
	}
	v, ok := f.Static[i].(T)
	if !ok {
		return zero, fmt.Errorf("callbacks: the static argument %d of callback %q is a %T, not a %s", i, f.Name, f.Static[i], reflect.TypeFor[T]())
	}
	return v, nil
}
