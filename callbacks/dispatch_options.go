package callbacks

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/contract"
)

// RegistryOptions say how a registry's callbacks are called. The zero value has sane
// limits and no timeout.
type RegistryOptions struct {
	// Workers is how many functions may run at once on goroutines of ours; 0 is
	// GOMAXPROCS. Calls of a run that was started inside a callback do not count, so
	// that a worker never waits for itself.
	Workers int
	// Timeout is for callbacks whose own options have none; 0 is no limit. With it
	// Inline callbacks are called as by Goroutine.
	Timeout time.Duration
	// LostLimit is how many functions may be lost at once: those that have not returned
	// although their time was up or their run was cancelled. Each keeps a goroutine and
	// a thread. Further calls by Goroutine, Async and Deferred then fail with a
	// *LostError, until one returns. 0 is 256.
	LostLimit int
	// Profile has a CPU profile show which callback a sample belongs to (the labels
	// callback and registry). It costs each call some tenths of a microsecond. Regions
	// of runtime/trace need no option: they are there while a trace is taken.
	Profile bool
	// QueueBytes is how much Async calls may hold in copies, all devices together;
	// 0 is 64 MiB. A call that needs more goes alone.
	QueueBytes int
	// Logger gets the errors of taps and what the watchdog finds; nil is slog.Default().
	Logger *slog.Logger
	// Watch, when not 0, has a watchdog look at each call, inline ones too, that takes
	// longer: it logs what is under way and writes all goroutines to WatchTo. It costs
	// each call a microsecond.
	Watch time.Duration
	// WatchTo gets the goroutines; nil for no goroutines.
	WatchTo io.Writer
}

func (o RegistryOptions) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{{"Workers", int64(o.Workers)}, {"Timeout", int64(o.Timeout)}, {"LostLimit", int64(o.LostLimit)}, {"QueueBytes", int64(o.QueueBytes)}, {"Watch", int64(o.Watch)}} {
		if n.value < 0 {
			return fmt.Errorf("RegistryOptions.%s is negative: give 0 for what is usual", n.name)
		}
	}
	return nil
}

const (
	defaultQueueBytes = 64 << 20
	defaultLostLimit  = 256
)

// engine is what the callbacks of a registry share when they are called.
type engine struct {
	registry string
	options  RegistryOptions
	pool     *pool
	queue    budget
	queued   atomic.Int64 // calls that wait in a queue or for a worker
	dumps    dumps
	log      logQueue
}

func newEngine(registry string, o RegistryOptions) *engine {
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	lost := o.LostLimit
	if lost == 0 {
		lost = defaultLostLimit
	}
	e := &engine{registry: registry, options: o, pool: newPool(registry, workers, lost)}
	e.log.tell = func(dropped int) {
		e.logger().Warn("lines of the log were dropped, because its handler is slow", "lines", dropped)
	}
	e.queue.size = o.QueueBytes
	if e.queue.size == 0 {
		e.queue.size = defaultQueueBytes
	}
	return e
}

func (e *engine) logger() *slog.Logger {
	if e.options.Logger != nil {
		return e.options.Logger
	}
	return slog.Default()
}

// Configure sets the options of a registry, for callbacks that are resolved from now
// on: those of modules that are compiled later. It is how Default gets any.
func (r *Registry) Configure(o RegistryOptions) error {
	if err := o.check(); err != nil {
		return fmt.Errorf("callbacks: %w", err)
	}
	if old := r.engine.Swap(newEngine(r.name, o)); old != nil {
		old.pool.retire()
	}
	return nil
}

// running is the registry's engine, which the zero Registry gets here.
func (r *Registry) running() *engine {
	if e := r.engine.Load(); e != nil {
		return e
	}
	if e := newEngine(r.name, RegistryOptions{}); !r.engine.CompareAndSwap(nil, e) {
		e.pool.retire()
	}
	return r.engine.Load()
}

// checkDispatch says what is wrong with the options that say how a callback is called.
func (o Options) checkDispatch() error {
	switch {
	case o.Dispatch > Deferred:
		return fmt.Errorf("there is no dispatch %d: it is Inline, Goroutine, Async or Deferred", o.Dispatch)
	case o.Timeout < 0:
		return errors.New("Options.Timeout is negative: give 0 for no limit of its own")
	case o.PerSecond < 0:
		return errors.New("Options.PerSecond is negative: give 0 for no limit")
	case o.Dispatch == Async && o.FailRun:
		return errors.New("an Async callback cannot fail its run, which goes on meanwhile: choose another dispatch or leave FailRun out")
	}
	return nil
}

// checkForm holds the options against the form in which a module calls.
func (o Options) checkForm(c contract.Config) error {
	switch {
	case o.Dispatch == Async && c.Form != contract.Observe && c.Form != contract.Passthrough:
		return fmt.Errorf("callbacks: callback %q is registered with Async, and the module calls it in the form %q, which has results that the device waits for: use Deferred", c.Name(), c.Form)
	case o.PerSecond > 0 && c.Form.Target() == contract.TargetRuntimeCall:
		return fmt.Errorf("callbacks: callback %q is registered with PerSecond, and the module calls it in the form %q: somebody must make its results each time", c.Name(), c.Form)
	}
	return nil
}
