package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/text/callers"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/passes/order"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Builder builds one module. It must not be used by several goroutines at the same time,
// like its context.
type Builder struct {
	ctx        *mlir.Context
	module     *mlir.Module
	creator    *mlir.Builder // keeps the error of an operation that was not created
	funcs      []*Func
	err        *Error
	done       bool
	opened     bool // see Open
	open       bool // values may have unknown dimensions
	options    Options
	places     callers.Cache[position]
	at         place              // of the operations, if At set it
	names      string             // of the calls of Named that run, with "/" between them
	named      map[namedKey]place // lines with names
	shapes     map[mlir.Type]tensor.Shape
	symbols    map[string]place      // names of functions and meshes, and where they were defined
	meshes     map[string][]Axis     // by name
	policies   bool                  // a callback has a device policy
	chained    bool                  // a callback takes a value and the token of another one
	ordered    bool                  // a callback takes a token
	sites      map[siteKey]*callSite // see emit.go
	lastSite   *callSite
	models     *mlir.Module        // holds the models of call sites
	scratch    []Value             // results of the last callback
	identities map[string]string   // the functions of StopGradient by their types
	rules      map[string]*ownRule // whose rules are being traced, by the symbols of what they compute
	// temporary has functions that the finished module does not have.
	temporary []mlir.Operation
}

// Options hold the settings of a new module.
type Options struct {
	Name string // the module's symbol name, "" for none
	// Overlap lets callbacks that do not depend on one another run at the same time in
	// small programs too, if they are registered as callbacks.Deferred. Without it XLA runs
	// small programs in sequence. Module applies passes.LetOverlap at its end. What the
	// module computes stays the same.
	Overlap bool
	// RuntimeTokens orders callbacks of one effect across executions too, also on several
	// devices: see bridge.Sequence. Module applies passes.AddRuntimeTokens at its end, which
	// adds parameters and results to main. bridge hides them if it compiles the module with
	// passes.Program. Other hosts do not, so this is an option.
	RuntimeTokens bool
	// SkipOrderCheck leaves out the proof that the callbacks of each effect are ordered, which
	// Module otherwise makes with order.Unordered. It takes up to as long as building the
	// ordered callbacks.
	SkipOrderCheck bool
	// Through has the beginnings of import paths, such as "example.com/layers/", of packages that build operations for
	// their callers, as this one does: the Go line of an operation is the innermost one outside of them.
	Through []string
}

// New starts a module in ctx. The context must outlive the builder.
func New(ctx *mlir.Context, o Options) *Builder {
	if ctx == nil {
		panic("builder: New: the context is nil: get one from Library.NewContext")
	}
	b := &Builder{ctx: ctx, options: o, symbols: map[string]place{}, shapes: map[mlir.Type]tensor.Shape{},
		creator: mlir.NewBuilder(ctx, mlir.Location{})}
	b.module = ctx.NewModule(b.here().location)
	if o.Name != "" {
		b.module.Operation().SetAttribute("sym_name", ctx.StringAttribute(o.Name))
	}
	return b
}

// Module finishes and verifies the module. The caller owns the module and must close it. If
// something is wrong, the error is an *Error.
func (b *Builder) Module() (*mlir.Module, error) {
	at := b.here()
	for _, f := range b.funcs {
		if !f.returned && !b.done {
			b.fail(f.at, "func", nil,
				fmt.Errorf("function %q has no Return: call Return, even if the function returns nothing", f.name))
		}
	}
	if len(b.funcs) == 0 && !b.opened && !b.done {
		b.fail(at, "module", nil, errors.New("the module has no function: start one with Func"))
	}
	if b.err != nil {
		b.Close()
		return nil, b.err
	}
	if b.done {
		return nil, &Error{File: at.file, Line: at.line, Op: "module", Err: errFinished}
	}
	b.eraseTemporary()
	if err := b.module.Verify(); err != nil {
		e := b.verifyError(at, err)
		b.Close()
		return nil, e
	}
	if err := b.finish(); err != nil {
		b.fail(at, "module", nil, err)
		b.Close()
		return nil, b.err
	}
	b.end()
	return b.module, nil
}

// finish rewrites the verified module.
func (b *Builder) finish() error {
	steps := []struct {
		needed bool
		run    func() error
	}{
		{b.policies || b.meshes != nil, func() error { _, err := passes.ApplyPolicies(b.module); return err }},
		{b.chained, func() error { _, err := passes.DropChainedTokens(b.module); return err }},
		{b.options.RuntimeTokens, func() error { _, err := passes.AddRuntimeTokens(b.module); return err }},
		{b.ordered && !b.opened && !b.options.SkipOrderCheck, b.checkOrder},
		{b.options.Overlap, func() error { _, err := passes.LetOverlap(b.module); return err }},
	}
	for _, s := range steps {
		if !s.needed {
			continue
		}
		if err := s.run(); err != nil {
			return err
		}
	}
	return nil
}

// checkOrder returns an error if the callbacks of an effect are not ordered. It checks no module
// that is too large for it.
func (b *Builder) checkOrder() error {
	result, err := order.Unordered(b.module, order.Options{})
	if err != nil {
		if errors.Is(err, order.ErrTooLarge) {
			return nil
		}
		return err
	}
	if err := result.Err(); err != nil {
		return fmt.Errorf("the callbacks are not ordered, which is a defect of package builder: report it: %w", err)
	}
	return nil
}

// Close drops a module that Module has not returned. A second call does nothing. The error
// is always nil.
func (b *Builder) Close() error {
	if !b.done {
		b.end()
		b.module.Close()
	}
	return nil
}

// end releases everything except the module.
func (b *Builder) end() {
	b.done = true
	b.eraseTemporary()
	if b.models != nil {
		b.models.Close()
	}
}

// Err returns the first mistake so far, or nil.
func (b *Builder) Err() error {
	if b.err == nil {
		return nil
	}
	return b.err
}

// Here returns the Go line, as file:line, that an operation built now has.
func (b *Builder) Here() string { return b.here().String() }

// Fail records a mistake in an operation that code outside of this package offers, unless an earlier one is recorded.
// The line is that of the operations of this package.
func (b *Builder) Fail(op string, err error) { b.fail(b.here(), op, nil, err) }

// fail records a mistake, unless an earlier one is recorded.
func (b *Builder) fail(at place, op string, operands []Value, err error) {
	if b.err != nil {
		return
	}
	e := &Error{File: at.file, Line: at.line, Names: at.names, Op: op, Err: shorten(err)}
	for _, v := range operands {
		e.Operands = append(e.Operands, v.describe())
	}
	b.err = e
}

// symbol reserves a name for a new function or mesh. It returns an error if the name is
// empty or taken.
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
