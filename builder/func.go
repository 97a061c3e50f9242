package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Func is a function under construction.
type Func struct {
	b        *Builder
	name     string
	at       place
	op       mlir.Operation
	body     *scope
	scope    *scope // innermost open scope: operations go there
	returned bool
	broken   bool // not started because of a mistake; everything in it does nothing

	signature   Signature
	params      []mlir.Type
	resultTypes []mlir.Type // set by Return
	declared    int         // number of the user's parameters; the rest are tokens
	called      bool
	manual      bool                  // has a Manual
	extra       int                   // number of parameters and results that are tokens
	first       map[string]mlir.Value // effect -> its first token
}

// Builder returns the builder of the function.
func (f *Func) Builder() *Builder { return f.b }

// Name returns the function's name.
func (f *Func) Name() string { return f.name }

// Param returns the i-th parameter.
func (f *Func) Param(i int) Value {
	switch {
	case f.broken:
		return f.missing()
	case f.b.done:
		f.b.fail(f.b.here(), "param", nil, errFinished)
		return f.missing()
	}
	if i < 0 || i >= f.declared {
		f.b.fail(f.b.here(), "param", nil,
			fmt.Errorf("function %q has no parameter %d: it has %d parameters", f.name, i, f.declared))
		return f.missing()
	}
	return Value{s: f.body, v: f.body.block.Argument(i)}
}

// Constant returns a constant with the data of v. The data are copied.
func (f *Func) Constant(v tensor.View) Value {
	return f.add(f.b.here(), "constant", nil, stablehlo.ConstantOp{Value: v})
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
		f.b.fail(at, "return", results,
			fmt.Errorf("%s is open: it ends when its Go function returns: call Return after it", f.scope.name))
		return
	}
	if err := f.checkResults(types); err != nil {
		f.b.fail(at, "return", results, err)
		return
	}
	_, err := mlir.Create(f.body.block,
		mlir.OperationState{Name: "func.return", Location: at.location, Operands: operands})
	if err != nil {
		f.b.fail(at, "return", results, err)
		return
	}
	f.resultTypes, f.returned = types, true
	if err := f.setType(); err != nil {
		f.b.fail(at, "return", results, err)
	}
}

// ReturnWith is Return for a function whose results have names or shardings that its Signature does not state.
func (f *Func) ReturnWith(results []Result, values ...Value) {
	f.signature.Results = results
	f.Return(values...)
}

// usable reports whether an operation with these operands can be added. If not, it records
// the reason.
func (f *Func) usable(at place, op string, operands []Value) bool {
	return f.usableAs(at, op, "operand", operands)
}

// usableAs is usable for values that have another name in errors.
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

// operation is implemented by the structs of package stablehlo.
type operation interface {
	Create(b *mlir.Builder) mlir.Operation
}

// raw is an operation that package mlir creates from its parts.
type raw mlir.OperationState

func (r raw) Create(b *mlir.Builder) mlir.Operation { return b.Create(mlir.OperationState(r)) }

// add appends an operation with one result.
func (f *Func) add(at place, name string, operands []Value, o operation) Value {
	op, ok := f.append(at, name, operands, o)
	if !ok {
		return f.missing()
	}
	return Value{s: f.scope, v: op.Result(0)}
}

// append puts an operation at the end of the innermost open scope. The caller has called
// usable. operands are the operands that the user passed. name is the operation's name in
// errors.
func (f *Func) append(at place, name string, operands []Value, o operation) (mlir.Operation, bool) {
	if !f.usable(at, name, operands) {
		return mlir.Operation{}, false
	}
	b := f.scope.builder()
	b.SetLocation(at.location)
	op := o.Create(b)
	return f.created(at, name, operands, op, b.Cause())
}

// created is the second half of append.
func (f *Func) created(at place, name string, operands []Value, op mlir.Operation, err error) (mlir.Operation, bool) {
	if err != nil {
		f.b.fail(at, name, operands, err)
		return mlir.Operation{}, false
	}
	if f.scope.outer != nil {
		f.scope.cloneConstants(op)
	}
	return op, true
}

// results returns the results of an operation that append has just added.
func (f *Func) results(op mlir.Operation) []Value {
	out := make([]Value, op.NumResults())
	for i := range out {
		out[i] = Value{s: f.scope, v: op.Result(i)}
	}
	return out
}

// missing returns a placeholder for a value that was not built because of a mistake.
// Operations that take it do nothing.
func (f *Func) missing() Value { return Value{s: f.body} }
