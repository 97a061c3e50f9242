package callbacks

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Func is a function that a compiled program calls. It may be called concurrently, even
// by one run. If it returns an error or panics, the run fails, except for a tap (see
// Options.FailRun).
//
// A Func that is called Inline must not call runtime.Goexit (nor t.Fatal): on a thread of
// the runtime this ends the process, with a line on stderr that names the callback. With
// any other Dispatch, and between the stages of package stages, it results in a *GoexitError.
type Func func(*Frame) error

// A Frame is one call of a callback. It holds what XLA's call frame holds. It is valid
// until the function returns.
type Frame struct {
	Name   string // the callback's name, or "id N"
	Config contract.Config

	// Args and Results are the data operands and results. With Inline they are views of the
	// runtime's memory. With any other Dispatch they are views of copies, which are reused
	// for later calls. In both cases a function must Clone a view that it keeps.
	//
	// In the passthrough form Results[i] is the memory of Args[i]. In the observe form
	// there are no Results. In the other forms the function fills the memory of Results[i]
	// and must not write to Args, which may be an array that other code reads. Assigning
	// another view to Results[i] results in a *ReplacedError.
	Args, Results []tensor.View
	IDs           []tensor.View // operands that are ids

	// Attributes are the attributes of a call of a foreign target. They are empty in calls of
	// the contract, whose attributes are in Config.
	Attributes Attributes

	Static []any // the values of Options.Static; must not be changed

	Device int   // ordinal of the device that makes the call
	RunID  int64 // the run that the call belongs to; 0 if the runtime does not provide it

	set access.Frame // set by the runtime
}

// Context returns the context of the run. It ends when the run is cancelled.
func (f *Frame) Context() context.Context {
	if f.set.Context != nil {
		return *f.set.Context
	}
	return context.Background()
}

// WithContext returns a copy of the frame with the context ctx. It is meant for a
// Middleware and for tests of a Func.
func (f *Frame) WithContext(ctx context.Context) *Frame {
	c := *f
	c.set.Context = &ctx
	return &c
}

// Aliased reports whether result i and operand i share memory in the runtime, so that
// nothing was copied for the result.
func (f *Frame) Aliased(i int) bool { return i >= 0 && i < len(f.set.Aliased) && f.set.Aliased[i] }

// Static returns the static argument of a call at index i, as a T. It returns an error if
// there is none or if it has another type.
func Static[T any](f *Frame, i int) (T, error) {
	var zero T
	if f == nil {
		return zero, errors.New("callbacks: the frame is nil: call Static inside a callback")
	}
	if i < 0 || i >= len(f.Static) {
		return zero,
			fmt.Errorf("callbacks: callback %q has %d static arguments, none at index %d", f.Name, len(f.Static), i)
	}
	v, ok := f.Static[i].(T)
	if !ok {
		return zero, fmt.Errorf("callbacks: static argument %d of callback %q is a %T, not a %s", i, f.Name,
			f.Static[i], reflect.TypeFor[T]())
	}
	return v, nil
}
