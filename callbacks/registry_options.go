package callbacks

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// RegistryOptions say how the callbacks of a registry are called. The zero value has
// sensible limits and no timeout.
type RegistryOptions struct {
	// Workers limits how many functions may run at once on worker goroutines. 0 means
	// GOMAXPROCS. Calls of a run that was started inside a callback do not count, so a
	// worker never waits for itself.
	Workers int
	// Timeout applies to callbacks whose own options have none. 0 means no limit. A timeout
	// turns Inline into Goroutine.
	Timeout time.Duration
	// LostLimit limits how many functions may be lost at once. A function is lost if its
	// call timed out or its run was cancelled and it has not returned. Each lost function
	// keeps a goroutine and a thread. At the limit, further calls by Goroutine, Async and
	// Deferred fail with a *LostError until a lost function returns. 0 means 256.
	LostLimit int
	// Profile makes CPU profiles show the callback of each sample, in the labels callback
	// and registry. It costs each call some tenths of a microsecond. Regions of
	// runtime/trace need no option: they appear whenever a trace is taken.
	Profile bool
	// QueueBytes limits the size of the copies that Async calls hold, over all devices. 0
	// means 64 MiB. A call that needs more is queued alone.
	QueueBytes int
	// Logger receives the errors of taps and the reports of the watchdog. nil means
	// slog.Default().
	Logger *slog.Logger
	// Watch, if not 0, makes a watchdog report each call that takes longer, including
	// inline calls: it logs the calls in flight and writes the stacks of all goroutines to
	// WatchTo. It costs each call a microsecond.
	Watch time.Duration
	// WatchTo receives the stacks of the goroutines. nil means that they are not written.
	WatchTo io.Writer
}

func (o RegistryOptions) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{{"Workers", int64(o.Workers)}, {"Timeout", int64(o.Timeout)}, {"LostLimit", int64(o.LostLimit)},
		{"QueueBytes", int64(o.QueueBytes)}, {"Watch", int64(o.Watch)}} {
		if n.value < 0 {
			return fmt.Errorf("RegistryOptions.%s is negative: give 0 for the default", n.name)
		}
	}
	return nil
}

// Configure sets the options of a registry, for modules that are compiled from now on. Use
// it to set the options of Default.
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

// checkDispatch returns an error if the options that say how a callback is called are not
// valid.
func (o Options) checkDispatch() error {
	switch {
	case o.Dispatch > Deferred:
		return fmt.Errorf("Options.Dispatch is %d, which does not exist: use Inline, Goroutine, Async or Deferred",
			o.Dispatch)
	case o.Timeout < 0:
		return errors.New("Options.Timeout is negative: give 0 for the timeout of the registry")
	case o.Parallel < 0:
		return errors.New("Options.Parallel is negative: give 0 for GOMAXPROCS")
	case o.PerSecond < 0:
		return errors.New("Options.PerSecond is negative: give 0 for no limit")
	case o.KeepErrors && o.FailRun:
		return errors.New("KeepErrors and FailRun exclude each other: set one of them")
	case o.Dispatch == Async && o.FailRun:
		return errors.New("an Async callback cannot fail its run, which does not wait for it: choose another Dispatch or leave FailRun out")
	}
	return nil
}
