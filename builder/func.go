package builder

import (
	"errors"
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
	block    mlir.Block
	params   []mlir.Type
	tokens   map[string]Value // effect -> the token of its last callback
	returned bool
	broken   bool // it could not be started; everything in it does nothing
}

// create adds the function to the module; Return completes its type.
func (f *Func) create(params []mlir.Type) error {
	ctx := f.b.ctx
	f.params = params
	region := ctx.NewRegion()
	block := ctx.NewBlock(f.at.location, params...)
	region.Append(block)
	op, err := ctx.Create(mlir.OperationState{
		Name: "func.func", Location: f.at.location,
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: ctx.StringAttribute(f.name)},
			{Name: "function_type", Value: ctx.TypeAttribute(ctx.FunctionType(params, nil))},
		},
		Regions: []mlir.Region{region},
	})
	if err != nil {
		return err
	}
	f.op = f.b.module.Body().Append(op)
	f.block = f.op.Region(0).First()
	return nil
}

// Name is the function's name.
func (f *Func) Name() string { return f.name }

// Param is the i-th parameter.
func (f *Func) Param(i int) Value {
	if f.broken {
		return Value{f: f}
	}
	if i < 0 || i >= len(f.params) {
		f.b.fail(f.b.here(1), "param", nil, fmt.Errorf("function %q has no parameter %d: it has %d", f.name, i, len(f.params)))
		return Value{f: f}
	}
	return Value{f: f, v: f.block.Argument(i)}
}

// Constant is a value that is known now. Its bytes are copied.
func (f *Func) Constant(v tensor.View) Value {
	return f.add(f.b.here(1), "constant", nil, func(at mlir.Location) (mlir.Operation, error) {
		return stablehlo.Constant{Value: v}.Create(f.block, at)
	})
}

// Return ends the function with its results.
func (f *Func) Return(results ...Value) {
	at := f.b.here(1)
	if !f.usable(at, "return", results) {
		return
	}
	operands := make([]mlir.Value, len(results))
	types := make([]mlir.Type, len(results))
	for i, r := range results {
		operands[i], types[i] = r.v, r.v.Type()
	}
	_, err := f.block.Create(mlir.OperationState{Name: "func.return", Location: at.location, Operands: operands})
	if err != nil {
		f.b.fail(at, "return", results, err)
		return
	}
	f.op.SetAttribute("function_type", f.b.ctx.TypeAttribute(f.b.ctx.FunctionType(f.params, types)))
	f.returned = true
}

// usable reports whether an operation with these operands can be added; where it
// can't, the reason is kept.
func (f *Func) usable(at place, op string, operands []Value) bool {
	switch {
	case f.b.err != nil || f.broken:
		return false
	case f.b.done:
		f.b.fail(at, op, nil, errors.New("the builder is finished: Module or Close was called before"))
		return false
	case f.returned:
		f.b.fail(at, op, nil, fmt.Errorf("function %q has returned already", f.name))
		return false
	}
	for i, v := range operands {
		if err := v.checkIn(f); err != nil {
			f.b.fail(at, op, operands, fmt.Errorf("operand %d %w", i, err))
			return false
		}
	}
	return true
}

// add appends an operation of one result.
func (f *Func) add(at place, name string, operands []Value, create func(mlir.Location) (mlir.Operation, error)) Value {
	op, ok := f.append(at, name, operands, create)
	if !ok {
		return Value{f: f}
	}
	return Value{f: f, v: op.Result(0)}
}

// append has create put an operation at the block's end, after asking usable.
func (f *Func) append(at place, name string, operands []Value, create func(mlir.Location) (mlir.Operation, error)) (mlir.Operation, bool) {
	if !f.usable(at, name, operands) {
		return mlir.Operation{}, false
	}
	op, err := create(at.location)
	if err != nil {
		f.b.fail(at, name, operands, err)
		return mlir.Operation{}, false
	}
	return op, true
}
