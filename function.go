package calliope

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// FuncOptions are the options of Func.
type FuncOptions struct {
	// Session runs the function. nil means the default session at the first call.
	Session *Session
	// Donate has the indices of the arguments whose memory results may use. A call closes the Arrays in them.
	Donate  []int
	Build   builder.Options
	Compile bridge.CompileOptions
}

// A Function is a Go function on builder values that runs on XLA. It is safe for concurrent use.
type Function struct {
	fn      reflect.Value
	options FuncOptions
	err     error // the mistake of Func

	last atomic.Pointer[compiled] // which the previous call used

	mu      sync.Mutex
	session *Session
	known   []*compiled
	closed  bool
}

// Func makes a Function from a Go function. Its parameters and results are trees of builder.Value. It is called once
// for each set of shapes, to build a module. A panic in it is a panic of the call that builds. If fn is not such a
// function, the first call returns the error.
func Func(fn any, o ...FuncOptions) *Function {
	f := &Function{fn: reflect.ValueOf(fn)}
	if len(o) > 0 {
		f.options = o[0]
	}
	switch {
	case len(o) > 1:
		f.err = errors.New("calliope: Func takes one FuncOptions")
	case f.fn.Kind() != reflect.Func || f.fn.IsNil():
		f.err = fmt.Errorf("calliope: Func takes a function of builder values, not a %T", fn)
	case f.fn.Type().IsVariadic():
		f.err = errors.New("calliope: the function is variadic: let it take a slice")
	default:
		for _, i := range f.options.Donate {
			if i < 0 || i >= f.fn.Type().NumIn() {
				f.err = fmt.Errorf("calliope: Donate has the index %d, and the function %d parameters", i, f.fn.Type().NumIn())
			}
		}
	}
	return f
}

// Call runs the function and returns its results as Arrays, in the contract's order of the leaves. It waits for the
// run.
func (f *Function) Call(ctx context.Context, args ...any) ([]Array, error) {
	_, results, err := f.run(ctx, args)
	return results, err
}

// Call runs a function with a background context, and returns its results as R. See CallContext.
func Call[R any](f *Function, args ...any) (R, error) {
	return CallContext[R](context.Background(), f, args...)
}

// CallContext runs a function and returns its results as R: a tree with the structure of the result of the Go function.
// If that has several results, R is a struct with a field for each.
func CallContext[R any](ctx context.Context, f *Function, args ...any) (R, error) {
	var r R
	c, results, err := f.run(ctx, args)
	if err != nil {
		return r, err
	}
	return r, c.setResults(ctx, results, reflect.ValueOf(&r).Elem())
}

// Module builds the module for arguments, which it does not run: a tensor.Shape may stand for an array. The caller must
// close the module.
func (f *Function) Module(ctx context.Context, args ...any) (*mlir.Module, error) {
	s, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	t, err := f.trace(s, args)
	if err != nil {
		return nil, err
	}
	if len(t.closures) > 0 {
		err := fmt.Errorf("calliope: the function calls the closure of %s, which belongs to this process: "+
			"use a callback with a name, of package builder", t.closures[0].at)
		return nil, errors.Join(err, t.release(), t.module.Close())
	}
	return t.module, nil
}

// Executable compiles the function for arguments, which it does not run: a tensor.Shape may stand for an array. The
// executable belongs to the function.
func (f *Function) Executable(ctx context.Context, args ...any) (*bridge.Executable, error) {
	a, err := readArguments(args)
	if err != nil {
		return nil, err
	}
	c, err := f.find(ctx, args, a)
	if err != nil {
		return nil, err
	}
	return c.executable, nil
}

// Close releases what was compiled, and the closures that it calls. It waits for runs in flight, as
// bridge.Executable.Close does. Later calls fail with bridge.ErrClosed.
func (f *Function) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.last.Store(nil)
	var errs []error
	for _, c := range f.known {
		errs = append(errs, c.executable.Close())
	}
	f.known = nil
	return errors.Join(errs...)
}

// open returns the session.
func (f *Function) open(ctx context.Context) (*Session, error) {
	if f.err != nil {
		return nil, f.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fmt.Errorf("calliope: the function is %w", bridge.ErrClosed)
	}
	if f.session == nil {
		f.session = f.options.Session
	}
	if f.session == nil {
		var err error
		if f.session, err = Default(ctx); err != nil {
			return nil, err
		}
	}
	return f.session, nil
}

func (f *Function) run(ctx context.Context, args []any) (*compiled, []Array, error) {
	a, err := readArguments(args)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.find(ctx, args, a)
	if err != nil {
		return nil, nil, err
	}
	inputs := make([]bridge.Input, len(a.list))
	for i, one := range a.list {
		buffer, onDevice := one.input.(*bridge.Buffer)
		switch {
		case one.input == nil:
			return nil, nil, fmt.Errorf("calliope: argument %d is a tensor.Shape, which has no elements", i)
		case onDevice && c.donated[i]:
			inputs[i] = bridge.Donate(buffer)
		default:
			inputs[i] = one.input
		}
	}
	results, err := c.executable.Run(ctx, inputs...)
	return c, results, err
}

// find returns what was compiled for arguments like a, and compiles it if there is nothing.
func (f *Function) find(ctx context.Context, args []any, a arguments) (*compiled, error) {
	if c := f.last.Load(); c != nil && c.arguments.equal(a) {
		return c, nil
	}
	s, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.known {
		if c.arguments.equal(a) {
			f.last.Store(c)
			return c, nil
		}
	}
	c, err := f.compile(ctx, s, args, a)
	if err != nil {
		return nil, err
	}
	f.known = append(f.known, c)
	f.last.Store(c)
	return c, nil
}

// A compiled is a Function for arguments of some shapes and structure.
type compiled struct {
	executable *bridge.Executable
	arguments  arguments // without inputs
	donated    []bool
	results    []reflect.Value // what the Go function returned: their structure
}

func (f *Function) compile(ctx context.Context, s *Session, args []any, a arguments) (*compiled, error) {
	t, err := f.trace(s, args)
	if err != nil {
		return nil, err
	}
	defer t.module.Close()
	executable, err := s.client.Compile(ctx, passes.Program(t.module, passes.PrepareOptions{}), f.options.Compile)
	if err != nil {
		return nil, errors.Join(err, t.release())
	}
	executable.OnClose(func() { _ = t.release() }) // an error says that the registry is closed
	like := slices.Clone(a.list)
	for i := range like {
		like[i].input = nil // what is kept must not keep arrays
	}
	return &compiled{executable, arguments{like, a.structure}, t.donated, t.results}, nil
}

// setResults stores the results in a tree. It closes those that the tree does not keep, and all if there is an error.
func (c *compiled) setResults(ctx context.Context, results []Array, to reflect.Value) error {
	next := 0
	set := func(at string, _, v reflect.Value) error {
		next++
		return setResult(ctx, at, results[next-1], v)
	}
	var err error
	switch {
	case len(c.results) == 1:
		err = mirror(c.results[0], to, "the result", set)
	case len(c.results) > 0 && (to.Kind() != reflect.Struct || to.NumField() != len(c.results)):
		err = fmt.Errorf("calliope: the function has %d results: use a struct with as many fields for them, not a %s",
			len(c.results), to.Type())
	default:
		for i := range c.results {
			if err = mirror(c.results[i], to.Field(i), "the result ."+to.Type().Field(i).Name, set); err != nil {
				break
			}
		}
	}
	if err != nil {
		for _, r := range results {
			err = errors.Join(err, r.Close())
		}
		to.SetZero()
	}
	return err
}
