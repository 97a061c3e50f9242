package callbacks

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
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

// Configure sets the options of a registry, for modules that are compiled from now on. It
// is how Default gets any.
func (r *Registry) Configure(o RegistryOptions) error {
	if err := o.check(); err != nil {
		return fmt.Errorf("callbacks: %w", err)
	}
	r.mu.Lock()
	r.options = o
	r.mu.Unlock()
	engine.Retire(r)
	return nil
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
