package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
)

// Callback says which Go function is called. Name binds it by its name, so that the
// module can be saved and run by another program that registers the same name; ID
// binds a function without one, for this process only.
type Callback struct {
	Name     string
	ID       int64
	Registry string // the registry that holds it, "" for the default one
	// Effect names what orders calls: those of one effect run in the order in which they
	// were built. Taps without one have the effect ""; other callbacks have no order
	// then, but that of their values.
	Effect   string
	Optional bool // does nothing where it is not registered
	// Every calls every n-th time only; 0 and 1 are each time. The turns of the operation
	// are counted from when the module was compiled, over all runs and devices: a run
	// does not begin with a call of its own.
	Every      int64
	Policy     string // which devices call
	Transforms string // what was done to the operation, for people to read
	In         *Func  // the function to call from; needed only where no argument says

	// Target is the custom call target, for a handler that serves the contract under
	// another name; "" is the encoding's own.
	Target string
	// Encoding writes the id as another host does, for modules that it is to run. Opaque
	// and Server are then the bytes of an id and of what names its server; in
	// EncodingServer the server is an operand, which is ServerValue, or a constant of
	// the bytes where that is zero.
	Encoding       contract.Encoding
	Opaque, Server string
	ServerValue    Value
}

// config is what the contract has of it.
func (cb *Callback) config(form contract.Form) contract.Config {
	return contract.Config{
		Form: form, Callback: cb.Name, ID: cb.ID, Registry: cb.Registry,
		Effect: cb.Effect, Policy: cb.Policy, Transforms: cb.Transforms, Optional: cb.Optional, Every: cb.Every,
		Encoding: cb.Encoding, Opaque: cb.Opaque, Server: cb.Server,
	}
}

// IOCallback calls Go with the values of a tree (a Value, or a struct, slice, array or
// map of trees) and returns the same values. It always runs, also when what it returns
// is not used. Results and operands share their memory, so nothing is copied unless
// an operand is needed unchanged elsewhere.
func IOCallback[T any](cb Callback, args T) T {
	operands, f, at, ok := start(&cb, "io callback", args)
	if !ok {
		return dead(f, args)
	}
	results, ok := cb.emit(f, at, "io callback", contract.Passthrough, operands, nil)
	if !ok {
		return dead(f, args)
	}
	return rebuild(args, results)
}

// Tap calls Go with the values of a tree and gives nothing back, so that the program
// goes on with the values as they were. Taps of one effect run in the order in which
// they were built.
func Tap[T any](cb Callback, args T) {
	if operands, f, at, ok := start(&cb, "tap", args); ok {
		cb.emit(f, at, "tap", contract.Observe, operands, nil)
	}
}

// RuntimeCall calls Go with the values of a tree and returns what it gives, which the
// template says: a tree whose leaves Like made. It always runs, also when what it
// returns is not used.
func RuntimeCall[T, R any](cb Callback, template R, args T) R {
	return call(cb, contract.Call, "runtime call", template, args)
}

// PureCall is RuntimeCall for a function whose results depend on its arguments only
// and that does nothing else: it may be dropped, merged with an equal one, or moved.
func PureCall[T, R any](cb Callback, template R, args T) R {
	return call(cb, contract.Pure, "pure call", template, args)
}

func call[T, R any](cb Callback, form contract.Form, name string, template R, args T) R {
	operands, f, at, ok := start(&cb, name, args)
	if !ok {
		return dead(f, template)
	}
	want, err := leaves(template)
	if err != nil {
		f.b.fail(at, name, operands, fmt.Errorf("the template: %w", err))
		return dead(f, template)
	}
	var types []mlir.Type
	for i, w := range want {
		t, err := w.template(f.b.ctx)
		if err != nil {
			f.b.fail(at, name, operands, fmt.Errorf("result %d of the template: %w", i, err))
			return dead(f, template)
		}
		types = append(types, t)
	}
	if form == contract.Pure && cb.Effect != "" {
		f.b.fail(at, name, operands, errors.New("a pure call has no effect that could be ordered: leave Callback.Effect out, or make it a runtime call"))
		return dead(f, template)
	}
	results, ok := cb.emit(f, at, name, form, operands, types)
	if !ok {
		return dead(f, template)
	}
	return rebuild(template, results)
}

// start takes the arguments apart and finds the function that they belong to. It is
// false where a mistake makes it pointless to go on.
func start[T any](cb *Callback, name string, args T) (operands []Value, f *Func, at place, ok bool) {
	operands, err := leaves(args)
	f = cb.In
	if f == nil {
		f = funcOf(operands...)
	}
	if f == nil && err != nil {
		panic("builder: " + name + ": " + err.Error())
	}
	if f == nil {
		panic("builder: " + name + ": no argument says in which function it stands: set Callback.In")
	}
	at = f.b.here()
	if err != nil {
		f.b.fail(at, name, nil, err)
		return nil, f, at, false
	}
	return operands, f, at, f.usable(at, name, operands)
}
