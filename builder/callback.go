package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Callback says which Go function a program calls. Set Name or ID. Name binds the
// function by its name: the module can be saved, and any program that registers the same
// name can run it. ID binds a function without a name, in this process only.
type Callback struct {
	Name     string
	ID       int64
	Registry string // registry that holds the function, "" for the default one
	// Effect names the order of calls: calls of one effect run in the order in which they
	// were built. Taps without an Effect have the effect "". Other callbacks without an
	// Effect are ordered by their values only. AllEffects orders the call against those of
	// every effect.
	Effect   string
	Optional bool // do nothing if the function is not registered
	// Every calls the function only on every n-th execution of the operation. 0 and 1 mean
	// every time. Executions are counted from the compilation of the module, over all runs
	// and devices, so a run does not necessarily begin with a call.
	Every int64
	// Policy states which devices call, if several run the program: contract.PerDevice,
	// contract.Once or contract.Gather. See the package's documentation.
	Policy     contract.Policy
	Transforms string // transforms that were applied to the operation: see contract.EncodeTransforms, or any text
	In         *Func  // function that contains the call, needed only if no argument names it
	// Derivative names what computes the derivative of a RuntimeCall or a PureCall, and Batch says how it is called for
	// a batch: see contract.BatchMethod. CustomJVP and CustomVJP take Go functions of values.
	Derivative contract.Derivative
	Batch      contract.BatchMethod

	// Target is the custom call target, for a handler that serves the contract under
	// another name. "" is the encoding's own target.
	Target string
	// Host writes the id as another host does, for modules that this host runs. EncodingOperand has the ID in place of
	// Host.Opaque. Of EncodingServer the server is an operand: Server or, if that is zero, a constant of Host.Server.
	Host   contract.Host
	Server Value
}

// config returns the configuration that the contract has for the callback.
func (cb *Callback) config(form contract.Form) contract.Config {
	return contract.Config{
		Form: form, Callback: cb.Name, ID: cb.ID, Registry: cb.Registry,
		Effect: cb.Effect, Policy: cb.Policy, Transforms: cb.Transforms, Optional: cb.Optional, Every: cb.Every,
		Derivative: cb.Derivative, Batching: contract.Batching{Method: cb.Batch}, Host: cb.Host,
	}
}

// Passthrough calls Go with the values of a tree and returns the same values: it passes its
// operands through. It is the io_callback that is proposed for Nx. What JAX calls io_callback
// returns new values: that is RuntimeCall.
//
// The tree is a Value, or a struct, slice, array or map of trees. The call always runs,
// even if its results are not used. Results and operands share their memory: nothing is
// copied unless an operand is needed unchanged elsewhere.
func Passthrough[T any](args T, cb Callback) T {
	operands, f, at, ok := start(&cb, "io callback", args)
	if !ok {
		return placeholders(f, args)
	}
	results, ok := cb.emit(f, at, "io callback", contract.Passthrough, operands, nil)
	if !ok {
		return placeholders(f, args)
	}
	return rebuild(args, results)
}

// Tap calls Go with the values of a tree and returns nothing. It is what JAX calls
// debug.callback. The program goes on with unchanged values. Taps of one effect run in the
// order in which they were built.
func Tap[T any](args T, cb Callback) {
	if operands, f, at, ok := start(&cb, "tap", args); ok {
		cb.emit(f, at, "tap", contract.Observe, operands, nil)
	}
}

// RuntimeCall calls Go with the values of a tree and returns the results of the Go
// function. It is what JAX calls io_callback. template gives the types of the results: it
// is a tree whose leaves come from Like. The call always runs, even if its results are not
// used.
func RuntimeCall[T, R any](template R, args T, cb Callback) R {
	return call(cb, contract.Call, "runtime call", template, args)
}

// PureCall is RuntimeCall for a pure function. It is what JAX calls pure_callback. The
// results of the function must depend on its arguments only, and it must have no other
// effect: the compiler may drop the call, merge it with an equal one, or move it.
func PureCall[T, R any](template R, args T, cb Callback) R {
	return call(cb, contract.Pure, "pure call", template, args)
}

func call[T, R any](cb Callback, form contract.Form, name string, template R, args T) R {
	operands, f, at, ok := start(&cb, name, args)
	if !ok {
		return placeholders(f, template)
	}
	want, err := leaves(template)
	if err != nil {
		f.b.fail(at, name, operands, fmt.Errorf("the template: %w", err))
		return placeholders(f, template)
	}
	var types []mlir.Type
	for i, w := range want {
		t, err := w.template(f.b.ctx)
		if err != nil {
			f.b.fail(at, name, operands, fmt.Errorf("result %d of the template: %w", i, err))
			return placeholders(f, template)
		}
		types = append(types, t)
	}
	if form == contract.Pure && cb.Effect != "" {
		f.b.fail(at, name, operands,
			errors.New("a pure call cannot be ordered by an effect: leave Callback.Effect out, or use RuntimeCall"))
		return placeholders(f, template)
	}
	results, ok := cb.emit(f, at, name, form, operands, types)
	if !ok {
		return placeholders(f, template)
	}
	return rebuild(template, results)
}

// start takes the arguments apart and finds the function that they belong to. It returns
// false if a mistake makes it impossible to go on.
func start[T any](cb *Callback, name string, args T) (operands []Value, f *Func, at place, ok bool) {
	operands, err := leaves(args)
	f = cb.In
	if f == nil {
		f = funcOf(operands...)
	}
	if f == nil && err != nil {
		panic(misuse(err.Error()))
	}
	if f == nil {
		panic(misuse("no argument names the function that contains the call: set Callback.In"))
	}
	at = f.b.here()
	if err != nil {
		f.b.fail(at, name, nil, err)
		return nil, f, at, false
	}
	return operands, f, at, f.usable(at, name, operands)
}
