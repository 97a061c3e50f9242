package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Func is a function that is being built.
type Func struct {
	b        *Builder
	name     string
	at       place
	op       mlir.Operation
	body     *scope
	scope    *scope // the innermost one that is open: operations go there
	returned bool
	broken   bool // it could not be started; everything in it does nothing

	signature   Signature
	params      []mlir.Type
	resultTypes []mlir.Type // once it has returned
	declared    int         // how many parameters are the user's; the rest are tokens
	called      bool
	extra       int                   // how many parameters and results are tokens
	first       map[string]mlir.Value // effect -> the token that it starts with
}

// Name is the function's name.
func (f *Func) Name() string { return f.name }

// Param is the i-th parameter.
func (f *Func) Param(i int) Value {
	switch {
	case f.broken:
		return f.nothing()
	case f.b.done:
		f.b.fail(f.b.here(), "param", nil, errFinished)
		return f.nothing()
	}
	if i < 0 || i >= f.declared {
		f.b.fail(f.b.here(), "param", nil, fmt.Errorf("function %q has no parameter %d: it has %d", f.name, i, f.declared))
		return f.nothing()
	}
	return Value{s: f.body, v: f.body.block.Argument(i)}
}

// Constant is a value that is known now. Its bytes are copied.
func (f *Func) Constant(v tensor.View) Value {
	return f.add(f.b.here(), "constant", nil, stablehlo.Constant{Value: v})
}

// Return ends the function with its results.
func (f *Func) Return(results ...Value) {
	at := f.b.here()
	if !f.usableAs(at, "return", "result", results) {
		return
	}
	operands := make([]mlir.Value, len(results))
	types := make([]mlir.Type, len(results))
	for i, r := range results {
		operands[i], types[i] = r.v, r.v.Type()
	}
	if f.scope != f.body {
		f.b.fail(at, "return", results, fmt.Errorf("%s is open: it ends when its Go function returns, and Return belongs after it", f.scope.name))
		return
	}
	if err := f.checkResults(types); err != nil {
		f.b.fail(at, "return", results, err)
		return
	}
	_, err := f.body.block.Create(mlir.OperationState{Name: "func.return", Location: at.location, Operands: operands})
	if err != nil {
		f.b.fail(at, "return", results, err)
		return
	}
	f.resultTypes, f.returned = types, true
	if err := f.setType(); err != nil {
		f.b.fail(at, "return", results, err)
	}
}

// usable reports whether an operation with these operands can be added; where it
// can't, the reason is kept.
func (f *Func) usable(at place, op string, operands []Value) bool {
	return f.usableAs(at, op, "operand", operands)
}

// usableAs is usable for values that errors call by another name.
func (f *Func) usableAs(at place, op, what string, operands []Value) bool {
	switch {
	case f.b.err != nil || f.broken:
		return false
	case f.b.done:
		f.b.fail(at, op, nil, errFinished)
		return false
	case f.returned:
		f.b.fail(at, op, nil, fmt.Errorf("function %q has returned already", f.name))
		return false
	}
	for i, v := range operands {
		if v.s == f.scope && v.like == nil && !v.v.IsNil() {
			continue
		}
		if err := f.scope.check(v); err != nil {
			f.b.fail(at, op, operands, fmt.Errorf("%s %d %w", what, i, err))
			return false
		}
	}
	return true
}

// operation is what is added to a function: the structs of package stablehlo are.
type operation interface {
	Create(in mlir.Place, at mlir.Location) (mlir.Operation, error)
}

// raw is an operation as package mlir makes it.
type raw mlir.OperationState

func (r raw) Create(in mlir.Place, at mlir.Location) (mlir.Operation, error) {
	r.Location = at
	return mlir.Create(in, mlir.OperationState(r))
}

// add appends an operation of one result.
func (f *Func) add(at place, name string, operands []Value, o operation) Value {
	op, ok := f.append(at, name, operands, o)
	if !ok {
		return f.nothing()
	}
	return Value{s: f.scope, v: op.Result(0)}
}

// append puts an operation at the end of the innermost open scope, after asking
// usable. operands are those of it that the user gave; name is its name in errors.
func (f *Func) append(at place, name string, operands []Value, o operation) (mlir.Operation, bool) {
	if !f.usable(at, name, operands) {
		return mlir.Operation{}, false
	}
	op, err := o.Create(f.scope.block, at.location)
	return f.created(at, name, operands, op, err)
}

// created is the end of append.
func (f *Func) created(at place, name string, operands []Value, op mlir.Operation, err error) (mlir.Operation, bool) {
	if err != nil {
		f.b.fail(at, name, operands, err)
		return mlir.Operation{}, false
	}
	if f.scope.outer != nil {
		f.scope.remake(op)
	}
	return op, true
}

// results are the results of an operation that append has just added.
func (f *Func) results(op mlir.Operation) []Value {
	out := make([]Value, op.NumResults())
	for i := range out {
		out[i] = Value{s: f.scope, v: op.Result(i)}
	}
	return out
}

// nothing stands for a value that a mistake kept from being built. What it is given to
// does nothing.
func (f *Func) nothing() Value { return Value{s: f.body} }
