package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Unspecified is the API version of a custom call that does not state one.
const Unspecified = -1

// CustomCallOptions describe a custom call.
type CustomCallOptions struct {
	Target  string
	Results []tensor.Shape
	Types   []mlir.Type // use in place of Results for types other than plain tensors
	// APIVersion is the version of the call's interface. 0 means 4, XLA's typed FFI. 1 to 3
	// are the old untyped ones.
	APIVersion int
	// Config is the backend_config. In version 4 it is a dictionary: a map with string
	// keys, a struct or pointer to a struct, or a []NamedValue. A struct field is named by
	// its Go name or by its tag mlir. In the other versions Config is a string. Numbers
	// keep their Go type (an int is an i64). Slices of signed numbers, floats and bools
	// become arrays such as array<i64: …>. An mlir.Attribute is used as it is.
	Config any
	// HasSideEffect keeps the call even if its results are not used. It does not order
	// calls.
	HasSideEffect bool
	Aliases       aliasing.List
	// OperandLayouts and ResultLayouts are minor-to-major, one for each operand and result.
	// Nil leaves both out. A call that Go serves (with a target in contract.Targets, or
	// with the contract's keys in its Config) accepts row-major layouts only.
	OperandLayouts, ResultLayouts [][]int64
	CalledComputations            []*Func // functions that the target may call
	In                            *Func   // function that contains the call; needed only without operands
}

// CustomCall calls a function outside of the module. The runtime finds it by the name of
// its target when the module is compiled. To call a Go function use Passthrough, Tap,
// RuntimeCall or PureCall instead: they set all these options.
func CustomCall(o CustomCallOptions, operands ...Value) []Value {
	const name = "custom call"
	f := o.In
	if f == nil {
		f = mustFuncOf(operands...)
	}
	at := f.b.here()
	results := make([]Value, max(len(o.Results), len(o.Types)))
	for i := range results {
		results[i] = f.missing()
	}
	if !f.usable(at, name, operands) {
		return results
	}
	call, err := o.operation(f, operands)
	if err != nil {
		f.b.fail(at, name, operands, err)
		return results
	}
	op, ok := f.append(at, name, operands, call)
	if !ok {
		return results
	}
	if err := aliasing.CheckOperation(op); err != nil {
		f.b.fail(at, name, operands, err)
		return results
	}
	if _, ours := callop.AsCall(op); ours {
		if err := callop.CheckLayouts(call); err != nil {
			f.b.fail(at, name, operands, err)
			return results
		}
	}
	return f.results(op)
}

// operation returns the call as a stablehlo.CustomCallOp.
func (o CustomCallOptions) operation(f *Func, operands []Value) (call stablehlo.CustomCallOp, err error) {
	call = stablehlo.CustomCallOp{
		Target: o.Target, HasSideEffect: o.HasSideEffect, Aliases: o.Aliases,
		OperandLayouts: o.OperandLayouts, ResultLayouts: o.ResultLayouts,
	}
	switch {
	case o.APIVersion == 0:
		call.APIVersion = stablehlo.TypedFFI
	case o.APIVersion != Unspecified:
		call.APIVersion = o.APIVersion
	}
	call.Results = slices.Clone(o.Types)
	switch {
	case len(o.Types) > 0 && len(o.Results) > 0:
		return call, errors.New("both Results and Types are set: use one of them")
	case slices.ContainsFunc(o.Types, func(t mlir.Type) bool { return t.IsNil() || t.Context() != f.b.ctx }):
		return call, errors.New("a result's type is the zero Type, or belongs to another context")
	}
	for i, s := range o.Results {
		t, err := stablehlo.TensorType(f.b.ctx, s)
		if err != nil {
			return call, fmt.Errorf("result %d: %w", i, err)
		}
		call.Results = append(call.Results, t)
	}
	for i, g := range o.CalledComputations {
		if g == nil || g.b != f.b || g.broken {
			return call, fmt.Errorf("called computation %d is not a function of this module", i)
		}
		call.CalledComputations = append(call.CalledComputations, g.name)
	}
	for _, v := range operands {
		call.Operands = append(call.Operands, v.v)
	}
	if o.Config != nil {
		if call.BackendConfig, err = attributeOf(f.b.ctx, o.Config, 0); err != nil {
			return call, fmt.Errorf("the config%w", err)
		}
	}
	f.b.open = f.b.open || slices.ContainsFunc(call.Results, isOpen)
	return call, o.Aliases.Check(typesOf(operands), call.Results)
}
