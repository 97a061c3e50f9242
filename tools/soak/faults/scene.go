package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// numDevices is the number of devices of each client.
const numDevices = 4

// patience limits the wait for anything that must happen.
const patience = 30 * time.Second

// scene is the environment of a fault in one way of dispatch: a client, a registry, and the
// expected counts.
type scene struct {
	ctx      context.Context
	plugin   *bridge.Plugin
	client   *bridge.Client
	way      callbacks.Dispatch
	registry *callbacks.Registry
	closers  []func() error
	err      error // the first one while the fault was prepared

	mu    sync.Mutex
	want  map[string]tally
	calls map[string]*atomic.Int64
	taps  tapFailures
}

// tally holds the counts of a callback's calls. Called is the number of calls of the
// function itself.
type tally struct{ Fired, Delivered, Dropped, Failed, Called int64 }

// uncertain is a count that cannot be predicted.
const uncertain = -1 << 40

func (t tally) add(o tally) tally {
	return tally{t.Fired + o.Fired, t.Delivered + o.Delivered, t.Dropped + o.Dropped, t.Failed + o.Failed,
		t.Called + o.Called}
}

// meets reports whether the counts are the expected ones, except for those that are
// uncertain.
func (t tally) meets(want tally) bool {
	same := func(got, want int64) bool { return want < 0 || got == want }
	return same(t.Fired, want.Fired) && same(t.Delivered, want.Delivered) && same(t.Dropped, want.Dropped) &&
		same(t.Failed, want.Failed) && same(t.Called, want.Called) &&
		t.Fired == t.Delivered+t.Dropped+t.Failed && t.Called <= t.Fired
}

// tapFailures holds the errors that the barrier must return.
type tapFailures struct {
	count int
	want  func(err error, i int) error
}

var lastScene atomic.Int64

func newScene(ctx context.Context, p *bridge.Plugin, way callbacks.Dispatch) (*scene, error) {
	client, err := p.NewClient(bridge.ClientOptions{Devices: numDevices, DrainTimeout: patience})
	if err != nil {
		return nil, err
	}
	s := &scene{ctx: ctx, plugin: p, client: client, way: way, want: map[string]tally{},
		calls: map[string]*atomic.Int64{}}
	if s.registry, err = s.newRegistry(callbacks.RegistryOptions{Workers: 16}); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// newRegistry makes a registry that is closed with the scene. It logs failing taps only if
// it has a logger.
func (s *scene) newRegistry(o callbacks.RegistryOptions) (*callbacks.Registry, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	r, err := callbacks.NewRegistry(fmt.Sprintf("faults %d", lastScene.Add(1)), o)
	if err == nil {
		s.later(r.Close)
	}
	return r, err
}

// note keeps the first error.
func (s *scene) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// useRegistry makes another registry that of the scene.
func (s *scene) useRegistry(o callbacks.RegistryOptions) {
	r, err := s.newRegistry(o)
	if err == nil {
		s.registry = r
	}
	s.note(err)
}

// register registers a function and counts its calls.
func (s *scene) register(name string, o callbacks.Options, fn callbacks.Func) {
	o.Dispatch = s.way
	s.note(s.registry.Register(name, s.counted(name, fn), o))
}

func (s *scene) counted(name string, fn callbacks.Func) callbacks.Func {
	n := new(atomic.Int64)
	s.mu.Lock()
	s.calls[name] = n
	s.mu.Unlock()
	return func(f *callbacks.Frame) error {
		n.Add(1)
		return fn(f)
	}
}

// expect adds to the expected counts.
func (s *scene) expect(name string, more tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.want[name] = s.want[name].add(more)
}

func (s *scene) delivers(name string) { s.expect(name, tally{Fired: 1, Delivered: 1, Called: 1}) }
func (s *scene) fails(name string)    { s.expect(name, tally{Fired: 1, Failed: 1, Called: 1}) }

// tapFails makes the barrier expect one more error, which is held to what is wanted.
func (s *scene) tapFails(want func(err error, i int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taps.count++
	s.taps.want = want
}

// failure holds the error of a run whose call failed to what is wanted. A call that is queued fails the barrier, and
// not the run.
func (s *scene) failure(err error, i int, want func(err error, i int) error) error {
	if s.way != callbacks.Async {
		return want(err, i)
	}
	s.tapFails(want)
	return err
}

// compile compiles a module. The executable is closed with the scene.
func (s *scene) compile(module string, o engine.CompileOptions) *bridge.Executable {
	e, err := s.client.Compile(s.ctx, bridge.Source(module), o)
	if err == nil {
		s.later(e.Close)
	}
	s.note(err)
	return e
}

// later registers a function to call when the scene is closed.
func (s *scene) later(f func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, f)
}

// input returns an array that begins with the values, on the i-th device.
func (s *scene) input(i, size int, values ...float32) (*engine.Array, error) {
	data := make([]float32, size)
	copy(data, values)
	return s.client.ArrayFromHost(s.ctx, tensor.Vector(data...), i%numDevices)
}

// run executes a program on the i-th device, on an array that begins with the values. It
// returns the first element of the first result, or 0 if there is none.
func (s *scene) run(ctx context.Context, p *program, i int, values ...float32) (float32, error) {
	in, err := s.input(i, p.size, values...)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := p.Run(ctx, in)
	if err != nil {
		return 0, err
	}
	return first(out)
}

// first returns the first element of the first buffer, and closes all buffers.
func first(out []*engine.Array) (float32, error) {
	var v tensor.View
	var errs []error
	for i, b := range out {
		if i == 0 {
			var err error
			v, err = b.ToHost(context.Background())
			errs = append(errs, err)
		}
		errs = append(errs, b.Close())
	}
	if err := errors.Join(errs...); err != nil || v.Shape.DType != tensor.F32 {
		return 0, err
	}
	list, err := tensor.Slice[float32](v)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// finish compares the counts with the expected ones, and closes everything.
func (s *scene) finish() error {
	return errors.Join(s.settle(), s.close())
}

func (s *scene) settle() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), patience)
	defer cancel()
	if err := s.checkTaps(s.client.Barrier(ctx, "faults")); err != nil {
		return err
	}
	for name, want := range s.want {
		if err := s.checkCounts(ctx, name, want); err != nil {
			return err
		}
	}
	return nil
}

func (s *scene) checkTaps(err error) error {
	if s.taps.count == 0 {
		return err
	}
	var all *callbacks.TapErrors
	if !errors.As(err, &all) {
		return fmt.Errorf("the barrier returns %v, want %d errors of taps", err, s.taps.count)
	}
	if all.Count != s.taps.count {
		return fmt.Errorf("the barrier counts %d errors of taps, want %d", all.Count, s.taps.count)
	}
	for _, e := range all.Errors {
		if err := s.taps.want(e.Err, anyNumber); err != nil {
			return fmt.Errorf("error of a tap: %w", err)
		}
	}
	return nil
}

// checkCounts waits for functions that return late, because the barrier does not.
func (s *scene) checkCounts(ctx context.Context, name string, want tally) error {
	for {
		got, inFlight, err := s.countsOf(name)
		if err == nil && inFlight == 0 && got.meets(want) {
			return nil
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return errors.Join(err,
				fmt.Errorf("callback %q has the counts %+v and %d in flight, want %+v", name, got, inFlight, want))
		}
	}
}

func (s *scene) countsOf(name string) (t tally, inFlight int64, err error) {
	stats := s.registry.Stats()
	i := slices.IndexFunc(stats, func(c callbacks.Stat) bool { return c.Callback == name })
	if i < 0 {
		return t, 0, fmt.Errorf("callback %q has no counts", name)
	}
	c := stats[i]
	t = tally{Fired: c.Fired, Delivered: c.Delivered, Dropped: c.Dropped, Failed: c.Failed + c.Expired}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.calls[name]; n != nil {
		t.Called = n.Load()
	}
	return t, c.InFlight, nil
}

func (s *scene) close() error {
	var errs []error
	for _, c := range slices.Backward(s.closers) {
		errs = append(errs, c())
	}
	return errors.Join(append(errs, s.client.Close())...)
}

// form returns the form of the calls in modules for the scene's way.
func (s *scene) form() contract.Form {
	if s.way == callbacks.Async {
		return contract.Observe
	}
	return contract.Call
}
