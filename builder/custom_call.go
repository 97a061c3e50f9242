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

// Unspecified is the API version of a custom call that does not say one.
const Unspecified = -1

// CustomCallOptions are what a custom call says of itself.
type CustomCallOptions struct {
	Target  string
	Results []tensor.Shape
	Types   []mlir.Type // in place of Results, for what is no plain tensor
	// APIVersion is 4, XLA's typed FFI, where it is 0; 1 to 3 are the old untyped ones.
	APIVersion int
	// Config is the backend_config. In version 4 it is a dictionary: a map with strings
	// as keys, a struct or pointer to one, whose fields are named by themselves or by
	// the tag mlir, or a []NamedValue. In the others it is a string. Numbers keep their
	// Go type (an int is an i64), and slices of signed numbers, floats and bools are
	// arrays such as array<i64: …>; an mlir.Attribute stands for itself.
	Config any
	// HasSideEffect keeps the call when its results are not used. It orders nothing.
	HasSideEffect bool
	Aliases       aliasing.List
	// OperandLayouts and ResultLayouts are minor-to-major, one for each operand and
	// result. Nil leaves both out. A call that Go serves (a target of contract.Targets,
	// or a Config with its keys) takes row-major ones only.
	OperandLayouts, ResultLayouts [][]int64
	CalledComputations            []*Func // functions that the target may call
	In                            *Func   // the function to call from; needed only without operands
}

// CustomCall calls something outside of the module, which is found by its target's name
// when the module is compiled. Where it is to be a Go function, IOCallback and its like
// say all this by themselves.
func CustomCall(o CustomCallOptions, operands ...Value) []Value {
	const name = "custom call"
	f := o.In
	if f == nil {
		f = mustFuncOf(name, operands...)
	}
	at := f.b.here()
	results := make([]Value, max(len(o.Results), len(o.Types)))
	for i := range results {
		results[i] = f.nothing()
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

// operation is the call as stablehlo makes it.
func (o CustomCallOptions) operation(f *Func, operands []Value) (call stablehlo.CustomCall, err error) {
	call = stablehlo.CustomCall{
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
		return call, errors.New("its results are given as Results and as Types: give one of them")
	case slices.ContainsFunc(o.Types, func(t mlir.Type) bool { return t.IsNil() || t.Context() != f.b.ctx }):
		return call, errors.New("a result's type is the zero Type, or one of another context")
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
			return call, fmt.Errorf("called computation %d is no function of this module", i)
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
	return call, o.Aliases.Check(typesOf(operands), call.Results)
}
