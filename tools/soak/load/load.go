package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// Mixed is the mode in which the runs use the ways of dispatch in turn.
const Mixed = "mixed"

// Ways are the ways of dispatch.
var Ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred}

// Modes are the values of Options.Mode.
func Modes() []string {
	list := []string{Mixed}
	for _, w := range Ways {
		list = append(list, w.String())
	}
	return list
}

// Options say how many calls are made and how.
type Options struct {
	Calls      int64 // number of calls that compiled code makes
	Devices    int
	Goroutines int // number of goroutines that execute at the same time
	Mode       string
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Calls < 1 || o.Devices < 1 || o.Goroutines < 1 {
		return errors.New("the numbers of calls, devices and goroutines must be 1 or more")
	}
	if !slices.Contains(Modes(), o.Mode) {
		return fmt.Errorf("there is no mode %q: it is one of %s", o.Mode, strings.Join(Modes(), ", "))
	}
	return nil
}

func (o Options) ways() []callbacks.Dispatch {
	if o.Mode == Mixed {
		return Ways
	}
	return slices.DeleteFunc(slices.Clone(Ways), func(w callbacks.Dispatch) bool { return w.String() != o.Mode })
}

// Result holds the counts and the memory samples.
type Result struct {
	Runs    int64
	Elapsed time.Duration
	Counts  []Count
	Memory  []Memory // at the beginning, then after each hundredth of the calls
}

// errFault is the error of every failEach-th run of a way.
var errFault = errors.New("a fault on purpose")

// load is the state of a run of this package.
type load struct {
	options  Options
	client   *bridge.Client
	registry *callbacks.Registry
	lanes    []*lane
	left     atomic.Int64 // calls that no run has taken yet
	next     atomic.Int64 // number of the next run
	memory   Samples
}

// Run makes the calls. It returns an error if calls were lost or made twice, or if memory
// grew.
func Run(ctx context.Context, plugin *bridge.Plugin, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: o.Devices})
	if err != nil {
		return nil, err
	}
	l := &load{options: o, client: client}
	l.left.Store(o.Calls)
	result, err := l.run(ctx)
	return result, errors.Join(err, l.close())
}

func (l *load) close() error {
	var errs []error
	for _, lane := range l.lanes {
		errs = append(errs, lane.executable.Close())
	}
	if l.registry != nil {
		l.registry.Close()
	}
	return errors.Join(append(errs, l.client.Close())...)
}

func (l *load) run(ctx context.Context) (*Result, error) {
	if err := l.prepare(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	l.memory.Take()
	errs := make([]error, l.options.Goroutines)
	var wait sync.WaitGroup
	for g := range errs {
		wait.Go(func() { errs[g] = l.execute(ctx, g) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := l.barrier(ctx); err != nil {
		return nil, err
	}
	l.memory.Take()
	result := &Result{Runs: l.next.Load(), Elapsed: time.Since(start), Counts: l.counts(), Memory: l.memory.All()}
	return result, result.check()
}

// execute executes programs, one after the other, until no calls are left.
func (l *load) execute(ctx context.Context, g int) error {
	for {
		left := l.left.Add(-perRun) + perRun
		if left <= 0 {
			return nil
		}
		n := l.next.Add(1) - 1
		if err := l.lanes[n%int64(len(l.lanes))].execute(ctx, l.client, n, g%l.options.Devices,
			min(left, perRun)); err != nil {
			return fmt.Errorf("run %d: %w", n, err)
		}
		l.memory.after(l.options.Calls-left, l.options.Calls)
	}
}

// barrier waits for the queued calls. Errors of taps are expected.
func (l *load) barrier(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	err := l.client.Barrier(ctx, "soak")
	if taps := new(callbacks.TapErrors); errors.As(err, &taps) && errors.Is(taps.Last(), errFault) {
		return nil
	}
	return err
}

// number returns the payload of a call.
func number(f *callbacks.Frame) (*int64, error) {
	v, err := tensor.Slice[int64](f.Args[0])
	if err != nil {
		return nil, err
	}
	return &v[0], nil
}
