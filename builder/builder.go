package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// Builder makes one module. It is used by one goroutine at a time, as its context is.
type Builder struct {
	ctx      *mlir.Context
	module   *mlir.Module
	funcs    []*Func
	err      *Error
	done     bool
	opened   bool // see Open
	overlap  bool // see Options
	places   places
	symbols  map[string]place          // the names of functions and meshes
	meshes   map[string]map[string]int // their axes and how large these are
	sites    map[siteKey]*callSite     // see emit.go
	lastSite *callSite
	models   *mlir.Module // of call sites
	scratch  []Value      // results of the last callback
}

// Options are the settings of a new module.
type Options struct {
	Name string // the module's symbol name, "" for none
	// Overlap has callbacks that do not depend on one another run at once where they are
	// registered as callbacks.Deferred, also in small programs, which XLA runs in
	// sequence otherwise: see passes.LetOverlap, with which Module ends then. What the
	// module computes stays the same.
	Overlap bool
}

// New starts a module in a context. The context must outlive the builder.
func New(ctx *mlir.Context, o Options) *Builder {
	if ctx == nil {
		panic("builder: New was given no context: get one from Library.NewContext")
	}
	b := &Builder{ctx: ctx, overlap: o.Overlap, symbols: map[string]place{}}
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
		if !f.returned && !b.done {
			b.fail(f.at, "func", nil, fmt.Errorf("function %q has no Return: end it with one, also where it returns nothing", f.name))
		}
	}
	if len(b.funcs) == 0 && !b.opened && !b.done {
		b.fail(at, "module", nil, errors.New("there is no function in it: start one with Func"))
	}
	if b.err != nil {
		b.Close()
		return nil, b.err
	}
	if b.done {
		return nil, &Error{File: at.file, Line: at.line, Op: "module", Err: errFinished}
	}
	if err := b.module.Verify(); err != nil {
		e := b.verifyError(at, err)
		b.Close()
		return nil, e
	}
	if b.overlap {
		if _, err := passes.LetOverlap(b.module); err != nil {
			b.fail(at, "module", nil, err)
			b.Close()
			return nil, b.err
		}
	}
	b.end()
	return b.module, nil
}

// Close drops a module that Module has not returned. Closing twice does nothing.
func (b *Builder) Close() {
	if !b.done {
		b.end()
		b.module.Close()
	}
}

// end gives up all but the module.
func (b *Builder) end() {
	b.done = true
	if b.models != nil {
		b.models.Close()
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
	e := &Error{File: at.file, Line: at.line, Op: op, Err: shorten(err)}
	for _, v := range operands {
		e.Operands = append(e.Operands, v.describe())
	}
	b.err = e
}

// symbol is an error where a name cannot be that of a new function or mesh; then it is
// taken.
func (b *Builder) symbol(name string, at place) error {
	if b.done {
		return errFinished
	}
	if name == "" {
		return errors.New("it needs a name")
	}
	if other, taken := b.symbols[name]; taken {
		return fmt.Errorf("the name %q is taken already, at %s", name, other)
	}
	b.symbols[name] = at
	return nil
}

var errFinished = errors.New("the builder is finished: Module or Close was called before")
