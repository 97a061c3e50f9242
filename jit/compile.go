package jit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/hostcall/reader"
	"github.com/calliope-mlir/calliope/jit/internal/callback"
	"github.com/calliope-mlir/calliope/jit/internal/lower"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/execution"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Options say how a module is compiled.
type Options struct {
	// Foreign has the targets of other hosts whose calls are callbacks, too, such as those of package bridge/lapack.
	Foreign []callbacks.ForeignTarget
	// JAXCallbacks names the callbacks of a module that JAX lowered: see engine.CompileOptions.
	JAXCallbacks []string
	// Isolate has the library run in a child process, which is this executable, until the module is code that this
	// process only has to generate. A module that crashes a pass, or LLVM while it generates code, is then an error
	// that names the operation, and this process goes on. The environment variable CALLIOPE_JIT_ISOLATE=1 has the same
	// effect.
	Isolate bool
	// After is called after each step of the compile with its name, that of a pass of MLIR or of a function of this
	// package, and with the module as it then is, which it must not change or keep. If arrays turn out not to be
	// changed in place, steps are made again. The calls are made one at a time, on another goroutine, and go on when
	// Compile has returned because its context ended. With Isolate it is an error.
	After func(step string, m *mlir.Module)
	// Profile is called after each run, on its goroutine, with what the run spent its time on. Code that is measured
	// reads the clock after each operation, or after those that are computed together; without Profile it does not.
	// With Isolate it is an error.
	Profile func(Profile)
}

// An UnsupportedError is the error of Compile for a module that needs what this package lacks.
type UnsupportedError struct {
	Operations []Operation // those that cannot be lowered, the first one of each name; may be empty
	Err        error       // why, if it is not just these
}

// An Operation is one of a module.
type Operation struct {
	Name     string
	Position mlir.Position // source position, in the text of the module or the Go code that built it
}

func (o Operation) String() string { return o.Name + " at " + o.Position.String() }

func (e *UnsupportedError) Error() string {
	if e.Err != nil {
		return "jit: the module cannot be compiled: " + e.Err.Error()
	}
	return "jit: the module cannot be compiled: it has operations without a lowering: " + e.names()
}

func (e *UnsupportedError) names() string {
	names := make([]string, len(e.Operations))
	for i, o := range e.Operations {
		names[i] = o.String()
	}
	return strings.Join(names, ", ")
}

// Unwrap returns e.Err.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// Compile compiles the function @main of a module, whose parameters and results must be arrays of known size. It leaves
// the module as it is, and reads it only until it returns. If the library of the module has no execution engine, as
// that of jaxlib, the default one compiles it. The error is an *[UnsupportedError] if the module needs what this
// package lacks, and a *[ForeignError] if it has operations of other dialects. When ctx ends, Compile returns with its
// error at once: the pass that runs then ends by itself, and after it the compile. The caller must close the
// Executable.
func Compile(ctx context.Context, m *mlir.Module, o Options) (*Executable, error) {
	if m == nil {
		return nil, errors.New("jit: the module is nil")
	}
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if e, ok := errors.AsType[*stablehlo.SizeError](stablehlo.CheckSizes(m)); ok {
		return nil, fmt.Errorf("jit: %s: %w", e.Operation.Location().Position(), e)
	}
	if r, ok := errors.AsType[*function.RecursionError](function.CheckRecursion(m)); ok {
		return nil, fmt.Errorf("jit: %s: %w", r.Function.Location().Position(), r)
	}
	if err := stablehlo.CheckElements(m.Operation().Index()); err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	library, err := libraryFor(m)
	if err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	if len(o.JAXCallbacks) > 0 {
		called := contract.JAXIndices(stablehlo.CustomCalls(m))
		if err := dispatch.CheckJAXCallbacks(o.JAXCallbacks, called); err != nil {
			return nil, fmt.Errorf("jit: %w", err)
		}
	}
	c := compilerOf(library)
	private, err := c.copyOf(m)
	if err != nil {
		c.context.Close()
		return nil, unsupported(err)
	}
	if ctx.Done() == nil {
		return c.compile(ctx, private, o)
	}
	return c.compileUntil(ctx, private, o)
}

// libraryFor returns the library that compiles a module.
func libraryFor(m *mlir.Module) (*mlir.Library, error) {
	const engine = "mlirExecutionEngineCreate"
	l := m.Context().Library()
	if l.Has(engine) {
		return l, nil
	}
	if other, err := mlir.Open(mlir.OpenOptions{}); err == nil && other.Has(engine) {
		return other, nil
	}
	return nil, &mlir.UnsupportedError{Library: l.Path(), Function: engine}
}

// compileUntil compiles a module as compile does, and returns when ctx ends. Passes cannot be interrupted.
func (c *compiler) compileUntil(ctx context.Context, private *mlir.Module, o Options) (*Executable, error) {
	o.Foreign, o.JAXCallbacks = slices.Clone(o.Foreign), slices.Clone(o.JAXCallbacks)
	type result struct {
		made     *Executable
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errors.New("jit: a function of Options ended its goroutine")}
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.made, r.err = c.compile(ctx, private, o)
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.made, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.made != nil {
				_ = r.made.Close() // nobody has it
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// compile compiles a module of the compiler's context, which it closes, and gives the compiler back.
func (c *compiler) compile(ctx context.Context, private *mlir.Module, o Options) (e *Executable, err error) {
	finished := false
	defer func() {
		private.Close() // it may be another one by then
		if finished {
			c.giveBack()
		} else {
			c.context.Close()
		}
	}()
	divided, err := accept(private)
	if err != nil {
		return nil, err
	}
	if divided {
		if err := undivide(private); err != nil {
			return nil, unsupported(err)
		}
	}
	if e, err = signature(private); err != nil {
		return nil, unsupported(err)
	}
	e.compiler, e.profiler = c, newProfiler(private, o.Profile)
	rewriting := rewriter(rewrite)
	isolate, err := enabled("CALLIOPE_JIT_ISOLATE")
	if err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	if o.Isolate || isolate {
		rewriting = rewriteInChild
		if o.After != nil || o.Profile != nil {
			return nil, errors.New("jit: Options.After and Profile are for a compile in this process: leave Isolate out")
		}
	}
	c.after = o.After
	if private, err = rewriting(ctx, private, e, expanding); err != nil {
		return nil, err
	}
	e.calls, err = callback.Lower(private, reader.Targets{Foreign: o.Foreign, JAX: o.JAXCallbacks})
	if err != nil {
		return nil, fmt.Errorf("jit: %w", err)
	}
	if private, err = rewriting(ctx, private, e, lowering); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = e.generate(private)
	}
	if err != nil {
		e.calls.Close()
		return nil, err
	}
	e.compiler, finished = nil, true
	return e, nil
}

// generate compiles a module of the LLVM dialect.
func (e *Executable) generate(m *mlir.Module) error {
	perf, err := enabled(perfVariable)
	var positions []mlir.Position
	if err == nil && perf {
		positions, err = numberPositions(m)
	}
	if err == nil {
		e.engine, err = execution.New(m, execution.Options{Optimize: e.level, ObjectDump: perf})
	}
	if err != nil {
		return fmt.Errorf("jit: %w", err)
	}
	if err := e.link(m); err != nil {
		return errors.Join(&UnsupportedError{Err: err}, e.engine.Close())
	}
	if perf {
		if err := writePerfMap(e.engine, positions); err != nil {
			return errors.Join(fmt.Errorf("jit: %s: %w", perfVariable, err), e.engine.Close())
		}
	}
	return nil
}

// enabled reports whether an environment variable is 1.
func enabled(variable string) (bool, error) {
	on, err := strconv.ParseBool(cmp.Or(os.Getenv(variable), "0"))
	if err != nil {
		return false, fmt.Errorf("%s is %q: use 1 or 0", variable, os.Getenv(variable))
	}
	return on, nil
}

// main returns the function that runs.
func main(m *mlir.Module) (mlir.Operation, error) {
	if f, ok := m.SymbolTable().Lookup("main"); ok && f.Name() == "func.func" {
		return f, nil
	}
	return mlir.Operation{}, errors.New("it has no function @main, the one to run")
}

// typesOf returns the types of a function's parameters and results.
func typesOf(f mlir.Operation) (in, out []mlir.Type) {
	a, _ := f.Attribute("function_type")
	t, _ := a.TypeValue()
	in, out, _ = t.Signature()
	return in, out
}

// signature returns an Executable with the shapes of the parameters and results.
func signature(m *mlir.Module) (*Executable, error) {
	f, err := main(m)
	if err != nil {
		return nil, err
	}
	e := &Executable{}
	main, err := stablehlo.MainOf(m)
	if err = cmp.Or(err, main.CheckStatic()); err != nil {
		return nil, lower.Refuse(f, err.Error())
	}
	e.inputs, e.outputs = main.Params, main.Results
	e.setDonors(f)
	return e, nil
}

// refuse returns an *UnsupportedError if a module has operations of a dialect that is lowered by now.
func refuse(m *mlir.Module, _ *Executable) error {
	found := map[string]bool{}
	e := &UnsupportedError{}
	for op := range m.Operation().All() {
		name := op.Name()
		if dialect, _, _ := strings.Cut(name, "."); !found[name] && slices.Contains(lowered, dialect) {
			found[name] = true
			e.Operations = append(e.Operations, Operation{name, op.Location().Position()})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return e
}
