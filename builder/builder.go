package builder

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Builder makes one module. It is used by one goroutine at a time, as its context is.
type Builder struct {
	ctx    *mlir.Context
	module *mlir.Module
	funcs  []*Func
	err    *Error
	done   bool
	places map[uintptr]place // by program counter
}

// Options are the settings of a new module.
type Options struct {
	Name string // the module's symbol name, "" for none
}

// New starts a module in a context. The context must outlive the builder.
func New(ctx *mlir.Context, o Options) *Builder {
	b := &Builder{ctx: ctx, places: map[uintptr]place{}}
	b.module = ctx.NewModule(b.here().location)
	if o.Name != "" {
		b.module.Operation().SetAttribute("sym_name", ctx.StringAttribute(o.Name))
	}
	return b
}

// Module finishes and verifies the module, which is the caller's to close from then
// on. What is wrong with it is an *Error.
func (b *Builder) Module() (*mlir.Module, error) {
	at := b.here()
	for _, f := range b.funcs {
		if !f.returned {
			b.fail(f.at, "func", nil, fmt.Errorf("function %q has no Return", f.name))
		}
	}
	if len(b.funcs) == 0 {
		b.fail(at, "module", nil, errors.New("there is no function in it: start one with Func"))
	}
	if b.done {
		return nil, &Error{File: at.file, Line: at.line, Op: "module", Err: errors.New("the builder is finished: Module or Close was called before")}
	}
	if b.err != nil {
		b.Close()
		return nil, b.err
	}
	if err := b.module.Verify(); err != nil {
		b.Close()
		return nil, verifyError(at, err)
	}
	b.done = true
	return b.module, nil
}

// Close drops a module that Module has not returned. Closing twice does nothing.
func (b *Builder) Close() {
	if !b.done {
		b.module.Close()
		b.done = true
	}
}

// Err is the first mistake so far, nil where there is none.
func (b *Builder) Err() error {
	if b.err == nil {
		return nil
	}
	return b.err
}

// fail keeps the first mistake.
func (b *Builder) fail(at place, op string, operands []Value, err error) {
	if b.err != nil {
		return
	}
	e := &Error{File: at.file, Line: at.line, Op: op, Err: err}
	for _, v := range operands {
		e.Operands = append(e.Operands, v.describe())
	}
	b.err = e
}

// Func starts a function with parameters of the given types. It is complete when
// Return was called.
func (b *Builder) Func(name string, params ...tensor.Shape) *Func {
	at := b.here()
	f := &Func{b: b, name: name, at: at}
	f.body = &scope{f: f, at: at, name: "function " + strconv.Quote(name)}
	f.body.entry = f.body.firstToken
	f.scope = f.body
	if b.done {
		b.fail(at, "func", nil, errors.New("the builder is finished: Module or Close was called before"))
		f.broken = true
		return f
	}
	for _, other := range b.funcs {
		if other.name == name {
			b.fail(at, "func", nil, fmt.Errorf("there is a function %q already, from %s:%d", name, other.at.file, other.at.line))
		}
	}
	b.funcs = append(b.funcs, f)
	types := make([]mlir.Type, len(params))
	for i, p := range params {
		t, err := stablehlo.TensorType(b.ctx, p)
		if err != nil {
			b.fail(at, "func", nil, fmt.Errorf("parameter %d of %q: %w", i, name, err))
			f.broken = true
			return f
		}
		types[i] = t
	}
	if err := f.create(types); err != nil {
		b.fail(at, "func", nil, err)
		f.broken = true
	}
	return f
}
