package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

const (
	dispatchTurns = 6                // for each repetition
	longTimeout   = 10 * time.Second // longer than any call
	oneProcLimit  = 10 * time.Minute // for the child process
)

// The floors in C for one way of dispatch. The least of them is the floor.
var (
	threadFloors   = []string{"c-thread-futex", "c-thread-futex-spin", "c-thread-cond", "c-thread-cond-spin"}
	sleepingFloors = []string{"c-thread-futex", "c-thread-cond"} // for more threads than processors
	deferredFloors = []string{"c-deferred", "c-deferred-spin"}
	queueFloors    = []string{"c-queue", "c-queue-spin"}
)

// dispatchers holds the callers for the goals.
type dispatchers struct {
	handler            caller   // in C, on XLA's thread
	small, large       []caller // floors for payloads of 16 bytes and 1 MiB
	inline, dispatched []caller
}

func newDispatchers(plugin *bridge.Plugin) (d dispatchers, err error) {
	if err := registerFloors(plugin); err != nil {
		return d, err
	}
	const passing, observing = contract.Passthrough, contract.Observe
	d.handler = inC("c", floor.Passthrough, passing)
	d.small = []caller{
		inC("c-thread-futex", floor.ThreadFutex, passing),
		inC("c-thread-futex-spin", floor.ThreadFutexSpin, passing),
		inC("c-thread-cond", floor.ThreadCond, passing),
		inC("c-thread-cond-spin", floor.ThreadCondSpin, passing),
		inC("c-deferred", floor.Deferred, passing),
		inC("c-deferred-spin", floor.DeferredSpin, passing),
		inC("c-queue", floor.Queue, observing),
		inC("c-queue-spin", floor.QueueSpin, observing),
	}
	d.large = []caller{
		inC("c-copy", floor.Copy, observing),
		inC("c-copies", floor.Copies, passing),
	}
	for _, one := range []struct {
		name string
		o    callbacks.Options
	}{
		{"goal inline", callbacks.Options{}},
		{"goal goroutine", callbacks.Options{Dispatch: callbacks.Goroutine}},
		{"goal goroutine-timeout", callbacks.Options{Dispatch: callbacks.Goroutine, Timeout: longTimeout}},
		{"goal deferred", callbacks.Options{Dispatch: callbacks.Deferred}},
		{"goal deferred-timeout", callbacks.Options{Dispatch: callbacks.Deferred, Timeout: longTimeout}},
		{"goal async", callbacks.Options{Dispatch: callbacks.Async}},
	} {
		c, err := inGo(one.name, one.o)
		if err != nil {
			return d, err
		}
		c.name = "go-" + one.name[len("goal "):]
		if one.o.Dispatch == callbacks.Inline {
			d.inline = append(d.inline, c)
		} else {
			d.dispatched = append(d.dispatched, c)
		}
	}
	return d, nil
}

// openPlugin opens the plugin that the suites use.
func openPlugin(ctx context.Context) (*bridge.Plugin, error) {
	if _, err := native.Ensure(ctx, native.PJRTPlugin, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	return bridge.Open(bridge.OpenOptions{})
}

// openClient opens a client of that plugin, with one device.
func openClient(ctx context.Context) (*bridge.Client, error) {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return nil, err
	}
	return plugin.NewClient(bridge.ClientOptions{Devices: 1})
}

// openMLIR opens the MLIR library that the suites use.
func openMLIR(ctx context.Context) (*mlir.Library, error) {
	if _, err := native.Ensure(ctx, native.MLIR, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	return mlir.Open(mlir.OpenOptions{})
}

// dispatchSuite prints a line with a budget for each goal of dispatch. Each figure is a
// ratio to a floor in C. The floor is measured alternately with it, so the ratio is also
// valid on a busy machine.
func dispatchSuite(ctx context.Context, s settings, r *report) (err error) {
	g, err := newGoals(ctx, s, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.client.Close()) }()
	for _, step := range []func(context.Context) error{g.small, g.concurrent, g.large, g.idle} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return g.oneProc(ctx)
}

// oneProcSuite measures the goals for a program with one processor.
func oneProcSuite(ctx context.Context, s settings, r *report) (err error) {
	g, err := newGoals(ctx, s, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.client.Close()) }()
	got, err := g.measure(ctx, "procs1", join(g.d.small, g.d.dispatched), 16, 1)
	if err != nil {
		return err
	}
	// With one processor no thread can spin for a call while another one runs: the floors
	// are those that sleep.
	r.figure("dispatch/procs1/goal/goroutine-over-c-thread", got.over("go-goroutine", "c-thread-futex"), "x",
		atMost(2.5))
	r.figure("dispatch/procs1/goal/goroutine-timeout-over-without", got.over("go-goroutine-timeout", "go-goroutine"),
		"x", atMost(1.2))
	r.figure("dispatch/procs1/goal/deferred-over-c-deferred", got.over("go-deferred", "c-deferred"), "x", atMost(2.5))
	_, err = g.measure(ctx, "procs1", join(g.d.dispatched), 16, mostRuns)
	return err
}

// goals prints the lines of the goals.
type goals struct {
	s      settings
	r      *report
	client *bridge.Client
	d      dispatchers
}

func newGoals(ctx context.Context, s settings, r *report) (*goals, error) {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return nil, err
	}
	d, err := newDispatchers(plugin)
	if err != nil {
		return nil, err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: mostRuns})
	return &goals{s, r, client, d}, err
}

func join(lists ...[]caller) []caller {
	var all []caller
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// measure measures callers and prints their figures.
func (g *goals) measure(ctx context.Context, name string, callers []caller, bytes, runs int) (got costs, err error) {
	l, err := newLoops(ctx, g.client, callers, bytes, runs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if got, err = l.measure(ctx, runs, g.s.repeat*dispatchTurns); err != nil {
		return nil, fmt.Errorf("%s, %d runs: %w", sized(bytes), runs, err)
	}
	got.report(g.r, fmt.Sprintf("dispatch/%s/%s/%druns/", name, sized(bytes), runs))
	return got, nil
}

// overFloor returns the ratio to the least of several floors, and names that floor.
func (g *goals) overFloor(name string, got costs, of string, floors []string, budget *limit) {
	floor := got.leastOf(floors...)
	g.r.figure("dispatch/goal/"+name+"-over-floor", got.over(of, floor), "x", budget)
	note("the floor of %s is %s with %.3g us", name, floor, got.of(floor).wall)
}

// small prints the goals for 16 bytes from one run. On an otherwise idle machine the
// budgets are 3 µs for Goroutine, 4 µs for Deferred and 2 µs for Async.
func (g *goals) small(ctx context.Context) error {
	got, err := g.measure(ctx, "goal", join([]caller{g.d.handler}, g.d.small, g.d.inline, g.d.dispatched), 16, 1)
	if err != nil {
		return err
	}
	g.overFloor("goroutine16B", got, "go-goroutine", threadFloors, atMost(15))
	g.overFloor("deferred16B", got, "go-deferred", deferredFloors, atMost(5))
	g.overFloor("async16B", got, "go-async", queueFloors, atMost(12))
	g.r.figure("dispatch/goal/goroutine16B-timeout-over-without", got.over("go-goroutine-timeout", "go-goroutine"), "x",
		atMost(1.2))
	g.r.figure("dispatch/goal/deferred16B-timeout-over-without", got.over("go-deferred-timeout", "go-deferred"), "x",
		atMost(1.2))
	return nil
}

// concurrent prints the goals for 16 bytes from several runs at the same time, on one call
// site. Inline must grow like the handler in C, without an allocation. Goroutine must be
// near a thread in C that sleeps between calls. On two processors this takes at least 17 µs
// with 8 runs, so the original goal of 15 µs is for machines with more processors.
func (g *goals) concurrent(ctx context.Context) error {
	inline := join([]caller{g.d.handler}, g.d.inline)
	one, err := g.measure(ctx, "inline", inline, 16, 1)
	if err != nil {
		return err
	}
	many, err := g.measure(ctx, "inline", inline, 16, mostRuns)
	if err != nil {
		return err
	}
	growth := func(name string) float64 { return many.of(name).wall / one.of(name).wall }
	g.r.figure(fmt.Sprintf("dispatch/goal/inline%druns-growth-over-c", mostRuns), growth("go-inline")/growth("c"), "x",
		atMost(1.3))
	g.r.figure(fmt.Sprintf("dispatch/goal/inline%druns-allocs", mostRuns), many.of("go-inline").allocs, "allocs",
		atMost(0.01))

	got, err := g.measure(ctx, "goal", join(g.d.small, g.d.dispatched), 16, mostRuns)
	if err != nil {
		return err
	}
	g.overFloor(fmt.Sprintf("goroutine16B%druns", mostRuns), got, "go-goroutine", sleepingFloors, atMost(1.5))
	return nil
}

// large prints the goals for 1 MiB.
func (g *goals) large(ctx context.Context) error {
	got, err := g.measure(ctx, "goal", join([]caller{g.d.handler}, g.d.large, g.d.dispatched), 1<<20, 1)
	if err != nil {
		return err
	}
	g.r.figure("dispatch/goal/goroutine1MiB-over-two-copies", got.over("go-goroutine", "c-copies"), "x", atMost(1.5))
	g.r.figure("dispatch/goal/goroutine1MiB-timeout-over-without", got.over("go-goroutine-timeout", "go-goroutine"),
		"x", atMost(1.2))
	g.r.figure("dispatch/goal/deferred1MiB-over-two-copies", got.over("go-deferred", "c-copies"), "x", atMost(1.5))
	g.r.figure("dispatch/goal/async1MiB-over-one-copy", got.over("go-async", "c-copy"), "x", atMost(1.25))

	python, err := startPython(ctx, g.s, jaxAsk)
	if err != nil || python == nil {
		return err
	}
	defer python.stop()
	theirs, err := python.inTurn(g.s.repeat, "io_callback 16", fmt.Sprintf("io_callback %d", 1<<20))
	if err != nil {
		return err
	}
	theirs[0].name, theirs[1].name = "16B/1runs/jax-io_callback", "1MiB/1runs/jax-io_callback"
	theirs.report(g.r, "dispatch/goal/")
	g.r.figure("dispatch/goal/goroutine1MiB-jax-over-go", theirs[1].wall/got.of("go-goroutine").wall, "x", atLeast(1))
	return nil
}

// idleTime is the length of the pause after a burst of calls.
const idleTime = 200 * time.Millisecond

// idle checks that goroutines and threads that spin for calls cost nothing when there are
// no calls.
func (g *goals) idle(ctx context.Context) (err error) {
	l, err := newLoops(ctx, g.client, g.d.dispatched, 16, mostRuns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	var turns []cost
	for range g.s.repeat {
		for _, e := range l.executables {
			if err := l.run(ctx, e, mostRuns, 1000); err != nil {
				return err
			}
		}
		time.Sleep(idleTime / 20) // XLA's own threads spin, too
		c, err := meter(func() error { time.Sleep(idleTime); return nil })
		if err != nil {
			return err
		}
		turns = append(turns, c)
	}
	g.r.figure("dispatch/goal/idle200ms/cpu", least(turns).cpu/1000, "ms", atMost(2))
	return nil
}

// oneProc runs the measurements for GOMAXPROCS=1 in a separate process.
func (g *goals) oneProc(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, oneProcLimit)
	defer cancel()
	command := exec.CommandContext(ctx, program, "-suite", "procs1", "-repeat", fmt.Sprint(g.s.repeat))
	command.Env = append(os.Environ(), "GOMAXPROCS=1")
	command.Stdout, command.Stderr = g.r.out, os.Stderr
	err = command.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == statusOver {
		g.r.over = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("measuring with GOMAXPROCS=1: %w", err)
	}
	return nil
}
