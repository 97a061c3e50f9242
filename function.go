package calliope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/engine/load"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/mlir"
)

// FuncOptions are the options of FuncWith and Load.
type FuncOptions struct {
	// Session runs the function. nil means the default session at the first call.
	Session *Session
	// Donate has the indices of the arguments whose memory results may use. A call closes the Arrays in them.
	Donate []int
	// Entry is the function of a module that Load runs. "" means main.
	Entry string
	// VJP is the order of the derivative that Load runs, of those that a file of jax.export carries (serialize's
	// vjp_order). It takes the inputs of the function and a cotangent of each output, and returns the cotangents of
	// the inputs, as Exported.vjp of JAX does. 0 means the function itself.
	VJP int
	// Callbacks are functions that the module calls by their names. They are registered in callbacks.Default until the
	// Function is closed.
	Callbacks map[string]callbacks.Func
	// JAXCallbacks are the callbacks of a module that JAX lowered, in JAX's order: see engine.CompileOptions.
	JAXCallbacks []callbacks.Func
	// MaxShapes is how many executables the function keeps, one for each set of shapes that it was called with. Of
	// more, that which no call has used for longest is closed when its runs are over, and compiled again when it is
	// needed. 0 means 64. Those of Executable and Warm are kept.
	MaxShapes int
	Build     builder.Options
	Compile   engine.CompileOptions
}

// A Function is a Go function on builder values, or a module, that is compiled for the shapes of its calls. It is safe
// for concurrent use.
type Function struct {
	source     source
	options    FuncOptions
	registered []string // names in callbacks.Default
	err        error    // the mistake of Func

	last atomic.Pointer[compiled] // which the previous call used

	mu      sync.Mutex
	session *Session
	known   []*compiled // that which was used last is at the end
	closed  bool
}

// usualShapes is the MaxShapes of options without one.
const usualShapes = 64

// A source builds modules.
type source interface {
	// take returns those of the arguments that the module takes.
	take(a arguments) arguments
	// trace builds the module for arguments. The caller must close the trace.
	trace(ctx context.Context, s *Session, o FuncOptions, args []any, a arguments) (*trace, error)
}

// Func makes a Function from a Go function. Its parameters and results are trees of builder.Value. It is called once
// for each set of shapes, to build a module. A panic in it is a panic of the call that builds. If fn is not such a
// function, the first call returns the error.
func Func(fn any) *Function { return FuncWith(fn, FuncOptions{}) }

// FuncWith is Func with options.
func FuncWith(fn any, o FuncOptions) *Function {
	f := &Function{}
	v := reflect.ValueOf(fn)
	g := goFunction{v, make(chan struct{}, mostAtOnce)}
	f.source = g
	switch {
	case v.Kind() == reflect.Func && v.IsNil() || fn == nil:
		f.err = errors.New("calliope: Func: the function is nil")
	case v.Kind() != reflect.Func:
		f.err = fmt.Errorf("calliope: Func takes a function of builder values, not a %T", fn)
	case v.Type().IsVariadic():
		f.err = errors.New("calliope: the function is variadic: let it take a slice")
	default:
		err := cmp.Or(g.check(), f.set(o, v.Type().NumIn()))
		if err == nil && (f.options.Entry != "" || f.options.VJP != 0) {
			err = errors.New("the options Entry and VJP are for Load")
		}
		if err != nil {
			f.err = fmt.Errorf("calliope: Func: %w", err)
		}
	}
	return f
}

// set sets the options. params is the number of parameters.
func (f *Function) set(o FuncOptions, params int) error {
	f.options = o
	if f.options.MaxShapes < 0 {
		return fmt.Errorf("the option MaxShapes is %d: give a number from 1, or 0 for %d", f.options.MaxShapes, usualShapes)
	}
	for _, i := range f.options.Donate {
		if i < 0 || i >= params {
			return fmt.Errorf("the option Donate has the index %d, and the function %d parameters", i, params)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.options.Callbacks)) {
		if err := f.register(name, f.options.Callbacks[name]); err != nil {
			return err
		}
	}
	if len(f.options.JAXCallbacks) == 0 {
		return nil
	}
	number := lastJAX.Add(1)
	f.options.Compile.JAXCallbacks = nil
	for i, fn := range f.options.JAXCallbacks {
		name := ""
		if fn != nil {
			name = fmt.Sprintf("JAX callback %d of function %d", i, number)
			if err := f.register(name, fn); err != nil {
				return err
			}
		}
		f.options.Compile.JAXCallbacks = append(f.options.Compile.JAXCallbacks, name)
	}
	return nil
}

// lastJAX numbers the functions with JAXCallbacks.
var lastJAX atomic.Int64

func (f *Function) register(name string, fn callbacks.Func) error {
	if err := callbacks.Default.Register(name, fn, callbacks.Options{}); err != nil {
		return fmt.Errorf("the option Callbacks: %w", err)
	}
	f.registered = append(f.registered, name)
	return nil
}

// Call runs the function and returns its results as Arrays, in the contract's order of the leaves. It waits for the
// run.
func (f *Function) Call(ctx context.Context, args ...any) ([]Array, error) {
	_, results, err := f.run(ctx, args, func(*compiled) error { return nil })
	return results, err
}

// Call runs a function and returns its results as R: a tree with the structure of the result of the Go function.
// If that has several results, R is a struct with a field for each. The results of a module have no structure: R is a
// tree of structs and Go arrays with as many leaves as there are results. A type that does not fit is an error before
// the run, which leaves donated arguments as they are.
func Call[R any](ctx context.Context, f *Function, args ...any) (R, error) {
	var r R
	to := reflect.ValueOf(&r).Elem()
	c, results, err := f.run(ctx, args, func(c *compiled) error { return c.checkResults(to.Type()) })
	if err != nil {
		return r, err
	}
	return r, c.setResults(ctx, results, to)
}

// Module builds the module for arguments, which it does not run: a tensor.Shape may stand for an array. A dimension of
// -1 in it is open: what stablehlo.PortableArtifact makes of the module is a file for Load, which compiles it for each
// set of shapes. The caller must close the context of the module, which closes the module.
func (f *Function) Module(ctx context.Context, args ...any) (*mlir.Module, error) {
	f.given("Module")
	s, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	r, err := f.read(args)
	if err != nil {
		return nil, err
	}
	t, err := f.source.trace(ctx, s, f.options, r.first, r.arguments)
	if err != nil {
		return nil, err
	}
	if len(t.closures) > 0 {
		var at []string
		for _, c := range t.closures {
			at = append(at, c.at)
		}
		err := fmt.Errorf("calliope: the function calls closures, which belong to this process, at %s: "+
			"use callbacks with names, of package builder", strings.Join(at, ", "))
		return nil, errors.Join(err, t.release(), t.close())
	}
	return t.module, nil
}

// Executable compiles the function for arguments, which it does not run: a tensor.Shape may stand for an array. The
// executable belongs to the function. If devices share the module, it takes and returns their parts of arrays. What its
// Serialize returns is a file for Load.
func (f *Function) Executable(ctx context.Context, args ...any) (*bridge.Executable, error) {
	f.given("Executable")
	r, err := f.read(args)
	if err != nil {
		return nil, err
	}
	c, err := f.keep(ctx, r)
	if err != nil {
		return nil, err
	}
	if e, ok := load.Undivided(c.runner).(*bridge.Executable); ok {
		return e, nil
	}
	return nil, errors.New("calliope: the session has no plugin that calls back, so the function is no executable")
}

// Warm compiles the function for arguments, which it does not run, so that a call with such arguments need not wait. A
// tensor.Shape may stand for an array.
func (f *Function) Warm(ctx context.Context, args ...any) error {
	f.given("Warm")
	r, err := f.read(args)
	if err == nil {
		_, err = f.keep(ctx, r)
	}
	return err
}

// keep is find for what FuncOptions.MaxShapes leaves alone.
func (f *Function) keep(ctx context.Context, r request) (*compiled, error) {
	c, err := f.find(ctx, r)
	if err != nil {
		return nil, err
	}
	defer c.life.End()
	f.mu.Lock()
	defer f.mu.Unlock()
	c.kept = true
	return c, nil
}

// Close releases what was compiled, and the callbacks that it calls, once the runs in flight have ended, which go on.
// It stops a compile. That of XLA, which cannot stop, goes on, and Session.Close waits for it. Close waits for calls of
// closures that are made after their run, and returns the errors of taps since the last barrier. Later calls fail with
// bridge.ErrClosed.
func (f *Function) Close() error {
	f.given("Close")
	f.mu.Lock()
	known, registered := f.known, f.registered
	f.known, f.registered, f.closed = nil, nil, true
	f.mu.Unlock()
	f.last.Store(nil)
	for _, c := range known {
		c.cancel()
	}
	var errs []error
	if l, ok := f.source.(*loaded); ok {
		errs = append(errs, l.close())
	}
	var left atomic.Int64 // of known and this function
	left.Store(int64(len(known)) + 1)
	unregister := func() (err error) {
		if left.Add(-1) > 0 {
			return nil
		}
		for _, name := range registered {
			err = errors.Join(err, callbacks.Default.Unregister(name))
		}
		return err
	}
	for _, c := range known {
		<-c.ready
		over := func() { _ = unregister() }
		if c.runner == nil { // the compile failed
			over()
			continue
		}
		c.runner.OnClose(over)
		errs = append(errs, c.close())
	}
	return errors.Join(append(errs, unregister())...)
}

// given panics because a method was called on a nil pointer or a zero value.
func (f *Function) given(method string) {
	if f == nil || f.source == nil && f.err == nil {
		panic(errtext.Receiver("calliope: Function."+method, f == nil, "Func or Load"))
	}
}

// open returns the session.
func (f *Function) open(ctx context.Context) (*Session, error) {
	if f.err != nil {
		return nil, f.err
	}
	if ctx == nil {
		return nil, errNoContext
	}
	s, err := f.opened(f.options.Session)
	if s == nil && err == nil {
		if s, err = Default(ctx); err == nil {
			s, err = f.opened(s)
		}
	}
	return s, err
}

// opened returns the session, which is s if there is none yet.
func (f *Function) opened(s *Session) (*Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fmt.Errorf("calliope: the function is %w", bridge.ErrClosed)
	}
	if f.session == nil {
		f.session = s
	}
	if f.session == nil {
		return nil, nil
	}
	if f.session.registry == nil {
		return nil, errors.New("calliope: the session is a zero Session: get one from Open")
	}
	if f.session.closed.Load() {
		return nil, fmt.Errorf("calliope: the session is %w: call the function before Session.Close", bridge.ErrClosed)
	}
	return f.session, nil
}

// run runs the function, unless check returns an error for what is compiled.
func (f *Function) run(ctx context.Context, args []any, check func(*compiled) error) (*compiled, []Array, error) {
	f.given("Call")
	r, err := f.read(args)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.find(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	defer c.life.End()
	if err := check(c); err != nil {
		return nil, nil, err
	}
	results, err := c.run(ctx, r)
	return c, results, err
}

// find returns what was compiled for arguments, and compiles it if there is nothing. The caller must call life.End.
func (f *Function) find(ctx context.Context, r request) (*compiled, error) {
	if c := f.last.Load(); c != nil && c.arguments.equal(r.arguments) && !c.session.closed.Load() && c.life.Begin() {
		return c, nil
	}
	s, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range r.list {
		if a.shape.IsOpen() {
			return nil, fmt.Errorf("calliope: %s has the shape %s, with an open dimension: give all of them, or "+
				"save what Function.Module returns, which may have open ones", a.place(r.first), a.shape)
		}
	}
	for {
		c, found, err := f.entry(r.arguments)
		if err != nil {
			return nil, err
		}
		if !found {
			if err := f.compile(ctx, s, c, r); err != nil {
				return nil, err
			}
		} else if !c.traced.Load() && c.tracer.Load() == goroutine() {
			return nil, errors.New("calliope: the Go function calls the Function that is made of it: call the Go function itself")
		}
		if err := c.await(ctx); err != nil {
			return nil, err
		}
		switch {
		case c.err != nil:
			return nil, c.err
		case c.runner != nil && c.life.Begin():
			f.last.Store(c)
			return c, nil
		}
		// The goroutine that called the Go function got an error, or a panic, or other shapes took the place of these.
	}
}

// await waits until an entry is compiled, or failed.
func (c *compiled) await(ctx context.Context) error {
	limit := time.NewTimer(traceLimit)
	defer limit.Stop()
	for {
		select {
		case <-c.ready:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("calliope: the function is being compiled, for %v now, which goes on for later calls: %w",
				time.Since(c.since).Round(time.Millisecond), context.Cause(ctx))
		case <-limit.C:
			if !c.traced.Load() { // it may wait for this call, from a goroutine that it started
				return fmt.Errorf("calliope: the Go function has been building its module for %v: %s", traceLimit,
					callItself)
			}
		}
	}
}

// entry returns what is compiled for arguments, or is being compiled. If there is nothing, it adds an entry, which the
// caller must compile.
func (f *Function) entry(a arguments) (c *compiled, found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, false, fmt.Errorf("calliope: the function is %w", bridge.ErrClosed)
	}
	for i, c := range f.known {
		if c.arguments.equal(a) {
			f.known = append(slices.Delete(f.known, i, i+1), c)
			return c, true, nil
		}
	}
	f.evict()
	c = &compiled{arguments: a.withoutInputs(), session: f.session, ready: make(chan struct{}), since: time.Now()}
	c.context, c.cancel = context.WithCancel(context.Background())
	f.known = append(f.known, c)
	return c, false, nil
}

// evict makes room for one more entry. The caller holds mu.
func (f *Function) evict() {
	for len(f.known) >= cmp.Or(f.options.MaxShapes, usualShapes) {
		i := slices.IndexFunc(f.known, func(c *compiled) bool { return !c.kept && c.isReady() })
		if i < 0 {
			return
		}
		c := f.known[i]
		f.known = slices.Delete(f.known, i, i+1)
		f.last.CompareAndSwap(c, nil)
		c.life.OnOver(func() {
			go func() { // it waits for late calls of closures
				if err := c.close(); err != nil {
					slog.Warn("calliope: what was compiled for some shapes makes room for others", "error", err)
				}
			}()
		})
		c.life.Close()
	}
}

// isReady reports whether the entry is compiled, or its compile has failed.
func (c *compiled) isReady() bool {
	select {
	case <-c.ready:
		return c.runner != nil
	default:
		return false
	}
}

// compile builds the module of an entry and begins to compile it. That does not end with the context: whoever calls the
// function next gets what was made. Without a module it removes the entry.
func (f *Function) compile(ctx context.Context, s *Session, c *compiled, r request) error {
	var t *trace
	defer func() {
		if t == nil { // also after a panic in the Go function
			f.remove(c)
			close(c.ready)
		}
	}()
	c.tracer.Store(goroutine())
	t, err := f.source.trace(ctx, s, f.options, r.first, r.arguments)
	if err != nil {
		t = nil
		return err
	}
	c.traced.Store(true)
	values := context.WithoutCancel(ctx)
	go func() {
		defer close(c.ready)
		within, cancel := context.WithCancel(values)
		defer context.AfterFunc(c.context, cancel)()
		if c.err = errors.Join(c.compile(within, s, t, f.options), t.close()); c.err != nil {
			f.remove(c)
		}
	}()
	return nil
}

// remove removes an entry, so that a later call compiles it again.
func (f *Function) remove(c *compiled) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = slices.DeleteFunc(f.known, func(k *compiled) bool { return k == c })
}
