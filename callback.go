package calliope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/leaf"
)

// How closures are called: see package callbacks.
const (
	Goroutine = callbacks.Goroutine
	Async     = callbacks.Async
	Deferred  = callbacks.Deferred
)

// CallOptions are the options of one call of a closure. The zero value is the usual choice. Of several, a later one
// decides about the fields that it sets.
type CallOptions struct {
	// Dispatch is Goroutine, Async, Deferred, or the zero value for a call on the device's thread.
	Dispatch callbacks.Dispatch
	// Timeout limits how long one call may take: see callbacks.Options.
	Timeout time.Duration
	// PerSecond limits how many calls are made in a second: see callbacks.Options.
	PerSecond int
	// Parallel limits how many elements of a batch are computed at once, with the Batch contract.Parallel: see
	// callbacks.Options.
	Parallel int
	// Effect and Every are those of builder.Callback.
	Effect string
	Every  int64
	// Policy says which devices call, if several run the function: see builder.Callback.
	Policy contract.Policy
	// Batch says how the call is made inside of builder.Batch: contract.Sequential calls the closure for each element,
	// and contract.Parallel for several at once. A closure that only looks at values gets the whole batch otherwise,
	// with a further dimension.
	Batch contract.BatchMethod
}

// Tap calls fn with the values of a tree. Taps of one effect are called in the order in which they are built. An error
// of fn fails the run, unless the call is Async: then the next barrier returns it.
//
// A is a tree with the structure of x, with arrays in place of values: see the package's documentation, but for Array.
// They are valid until fn returns.
func Tap[T, A any](x T, fn func(context.Context, A) error, o ...CallOptions) {
	if cb, ok := tap(x, fn, o); ok {
		builder.Tap(x, cb)
	}
}

// TapIf is Tap if cond, a pred[], is true at run time. If it is false, nothing is called and nothing is copied.
func TapIf[T, A any](cond builder.Value, x T, fn func(context.Context, A) error, o ...CallOptions) {
	if cb, ok := tap(x, fn, o); ok && isValue(cond, "tap if") {
		builder.TapIf(cond, x, cb)
	}
}

func tap[T, A any](x T, fn func(context.Context, A) error, o []CallOptions) (builder.Callback, bool) {
	return closureOf(x, "tap", o, func() (callbacks.Func, error) { return tapOf(x, fn) })
}

// tapOf returns a function that reads a tree like x.
func tapOf[T, A any](x T, fn func(context.Context, A) error) (callbacks.Func, error) {
	args, err := template[A](x, "the argument")
	if err != nil {
		return nil, err
	}
	return callbacks.Tap(fn, args), nil
}

// Passthrough calls fn with the values of a tree and returns the same values.
func Passthrough[T, A any](x T, fn func(context.Context, A) error, o ...CallOptions) T {
	cb, ok := closureOf(x, "passthrough", o, func() (callbacks.Func, error) { return tapOf(x, fn) })
	if !ok {
		return x
	}
	return builder.Passthrough(x, cb)
}

// RuntimeCall calls fn with the values of a tree and returns what fn returns. like gives the types of the results: it
// is a tree whose leaves come from builder.Like. R is a tree with its structure. The call always runs.
func RuntimeCall[T, L, A, R any](like L, x T, fn func(context.Context, A) (R, error), o ...CallOptions) L {
	return call(like, x, "runtime call", fn, o, builder.RuntimeCall[T, L])
}

// PureCall is RuntimeCall for a function whose results depend on its arguments only, and that has no other effect. If
// several devices share the module, each of them makes the call, with the whole arrays, where RuntimeCall makes one.
func PureCall[T, L, A, R any](like L, x T, fn func(context.Context, A) (R, error), o ...CallOptions) L {
	return call(like, x, "pure call", fn, o, builder.PureCall[T, L])
}

func call[T, L, A, R any](
	like L, x T, name string, fn func(context.Context, A) (R, error), o []CallOptions,
	emit func(L, T, builder.Callback) L,
) L {
	cb, ok := closureOf(x, name, o, func() (callbacks.Func, error) {
		args, err := template[A](x, "the argument")
		if err != nil {
			return nil, err
		}
		results, err := template[R](like, "the result")
		if err != nil {
			return nil, err
		}
		return callbacks.Call(fn, callbacks.Template[A, R]{Args: args, Results: results}), nil
	})
	if !ok {
		return like
	}
	return emit(like, x, cb)
}

// Print writes the values of a tree in a format: see callbacks.PrintOptions. The name of a value is its key or field,
// such as {loss} of map[string]builder.Value{"loss": loss}.
func Print[T any](format string, x T, o ...CallOptions) {
	cb, ok := closureOf(x, "print", o, func() (callbacks.Func, error) {
		return callbacks.Print(callbacks.PrintOptions{Format: format, Names: namesOf(x)})
	})
	if ok {
		builder.Tap(x, cb)
	}
}

// Check fails the run with a *callbacks.CheckError if cond, a pred[], is false. The error has the message and the
// values of a tree, with their names: see Print.
func Check[T any](cond builder.Value, x T, message string, o ...CallOptions) {
	cb, ok := closureOf(x, "check", o, func() (callbacks.Func, error) {
		return callbacks.Check(message, namesOf(x)...), nil
	})
	if ok && isValue(cond, "check") {
		builder.Check(cond, x, cb)
	}
}

// closureOf registers a closure, which made returns, with the function that is being built. It returns false after a
// mistake, which it records.
func closureOf[T any](
	x T, name string, o []CallOptions, made func() (callbacks.Func, error),
) (cb builder.Callback, ok bool) {
	var f *builder.Func
	err := eachValue(x, "the argument", func(_ string, v builder.Value) {
		if f == nil {
			f = v.Func()
		}
	})
	if err == nil && f == nil {
		err = errors.New("the argument has no builder.Value: give one, such as a parameter of the Go function")
	}
	if err != nil {
		fail(name, err)
		return cb, false
	}
	b := f.Builder()
	found, building := traces.Load(b)
	if !building {
		b.Fail(name, errors.New("a closure belongs to a function that calliope.Func makes: "+
			"use a callback with a name, of package builder"))
		return cb, false
	}
	t := found.(*trace)
	options := CallOptions{}.Merge(o...)
	fn, err := made()
	id := int64(0)
	if err == nil {
		id, err = t.registry.RegisterFunc(fn, callbacks.Options{
			Dispatch: options.Dispatch, Timeout: options.Timeout, PerSecond: options.PerSecond,
			Parallel: options.Parallel,
			FailRun:  name == "tap" && options.Dispatch != callbacks.Async,
		})
	}
	if err != nil {
		b.Fail(name, err)
		return cb, false
	}
	t.closures = append(t.closures, closure{id, b.Here()})
	t.late = t.late || options.Dispatch == Async || options.PerSecond > 0
	return builder.Callback{
		ID: id, Registry: t.registry.Name(), Effect: options.Effect, Every: options.Every,
		Policy: options.Policy, Batch: options.Batch,
	}, true
}

// Merge returns the options with the fields that others set, of which a later one decides.
func (o CallOptions) Merge(others ...CallOptions) CallOptions {
	to := reflect.ValueOf(&o).Elem()
	for _, one := range others {
		from := reflect.ValueOf(one)
		for i := range from.NumField() {
			if f := from.Field(i); !f.IsZero() {
				to.Field(i).Set(f)
			}
		}
	}
	return o
}

// isValue reports whether a condition is one. It records a mistake otherwise.
func isValue(cond builder.Value, name string) bool {
	if cond.Func() != nil {
		return true
	}
	fail(name, errors.New("the condition is the zero Value: use what an operation returned"))
	return false
}

// fail records a mistake in the call of a closure with the Go function that this goroutine calls to build a module. It
// panics if there is none.
func fail(name string, err error) {
	found, ok := nestings.Load(goroutine())
	if !ok {
		panic("calliope: " + name + ": " + err.Error())
	}
	found.(*nesting).builder.Fail(name, err)
}

// template returns a tree of type A with the structure of a tree of values, which at names.
func template[A, T any](x T, at string) (args A, err error) {
	from, to := reflect.ValueOf(&x).Elem(), reflect.ValueOf(&args).Elem()
	err = mirror(from, to, at, func(at string, from, to reflect.Value) error {
		switch t := to.Type(); {
		case t == valueType || t == bufferType:
			return fmt.Errorf("%s is a %s, and the closure gets arrays of the host: use %s", at, t, leaf.Types)
		case leaf.Of(t) == nil:
			return cmp.Or(checkBranches(t, at, leaf.Types), mismatch(at, from, to))
		case from.Type() != valueType:
			return mismatch(at, from, to)
		}
		return nil
	})
	return args, err
}

// namesOf returns the last step of the place of each value in a tree: a key, a field or an index.
func namesOf[T any](x T) (names []string) {
	_ = eachValue(x, "", func(at string, _ builder.Value) {
		names = append(names, strings.Trim(at[strings.LastIndexAny(at, ".[")+1:], `"]`))
	})
	return names
}
