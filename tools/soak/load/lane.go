package load

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

const (
	// perRun is the number of calls of a run: two in each iteration of its loop.
	perRun = 1000
	// failEach is the number of runs after which one more run fails on purpose.
	failEach = 499
	// every is the Every option of the sampled tap.
	every = 10
)

// lane holds the runs of one way of dispatch: a program, two functions and their counts.
type lane struct {
	way        callbacks.Dispatch
	executable *bridge.Executable
	main, tap  kept
}

// kept holds the counts of a function, and what the runs did with it.
type kept struct {
	name                   string
	calls, sum             atomic.Int64 // counted by the function
	fired, wantSum, failed atomic.Int64 // counted by the runs
}

// prepare registers the functions and compiles a program for each way.
func (l *load) prepare(ctx context.Context) error {
	var err error
	if l.registry, err = callbacks.NewRegistry("soak", callbacks.RegistryOptions{Logger: quiet}); err != nil {
		return err
	}
	for _, way := range l.options.ways() {
		one := &lane{way: way}
		one.main.name, one.tap.name = way.String(), way.String()+" sampled"
		if err := errors.Join(
			l.registry.Register(one.main.name, one.step, callbacks.Options{Dispatch: way}),
			l.registry.Register(one.tap.name, one.look, callbacks.Options{Dispatch: way}),
		); err != nil {
			return err
		}
		if one.executable,
			err = l.client.Compile(ctx, bridge.Source(one.module()), engine.CompileOptions{}); err != nil {
			return err
		}
		l.lanes = append(l.lanes, one)
	}
	return nil
}

// step is called with a number that grows by one from call to call. If the call has a
// result, step returns the number plus one. A negative number makes it fail.
func (l *lane) step(f *callbacks.Frame) error {
	v, err := number(f)
	if err != nil {
		return err
	}
	l.main.calls.Add(1)
	if *v < 0 {
		return errFault
	}
	l.main.sum.Add(*v)
	if l.way != callbacks.Async {
		*v++
	}
	return nil
}

// look is the sampled tap.
func (l *lane) look(f *callbacks.Frame) error {
	v, err := number(f)
	if err != nil {
		return err
	}
	l.tap.calls.Add(1)
	l.tap.sum.Add(*v)
	return nil
}

// execute makes the given number of calls, with numbers that no other run uses.
func (l *lane) execute(ctx context.Context, client *bridge.Client, n int64, device int, calls int64) error {
	turns := (calls + 1) / 2
	start := n * perRun
	if err := l.loop(ctx, client, device, start, turns); err != nil {
		return err
	}
	l.main.fired.Add(turns)
	l.main.wantSum.Add(turns*start + turns*(turns-1)/2)
	l.tap.fired.Add(turns)
	if n%failEach == 0 {
		return l.fail(ctx, client, device)
	}
	return nil
}

// fail executes one iteration whose call fails. This ends the run, unless the call is a
// tap.
func (l *lane) fail(ctx context.Context, client *bridge.Client, device int) error {
	err := l.loop(ctx, client, device, -1, 1)
	l.main.fired.Add(1)
	l.main.failed.Add(1)
	if l.way == callbacks.Async {
		l.tap.fired.Add(1)
		return err
	}
	if !errors.Is(err, errFault) {
		return fmt.Errorf("got the error %v, want %w", err, errFault)
	}
	return nil
}

// loop executes the program once and checks its result.
func (l *lane) loop(ctx context.Context, client *bridge.Client, device int, start, turns int64) error {
	in, err := client.ArrayFromHost(ctx, tensor.Vector(start), device)
	if err != nil {
		return err
	}
	defer in.Close()
	limit, err := client.ArrayFromHost(ctx, tensor.Scalar(int32(turns)), device)
	if err != nil {
		return err
	}
	defer limit.Close()
	out, err := l.executable.Run(ctx, in, limit)
	if err != nil {
		return err
	}
	v, err := out[0].ToHost(ctx)
	if err := errors.Join(err, out[0].Close()); err != nil {
		return err
	}
	if got, err := tensor.Slice[int64](v); err != nil || got[0] != start+turns {
		return fmt.Errorf("the result is %v, %w; want %d", got, err, start+turns)
	}
	return nil
}

// module returns a loop whose iterations call the main function and the sampled tap.
func (l *lane) module() string {
	config := func(name, more string) string { return fmt.Sprintf(`callback = %q, registry = "soak"%s`, name, more) }
	sampled := config(l.tap.name, fmt.Sprintf(", every = %d : i64", every))
	return Counting(l.way, config(l.main.name, ""), 1,
		"%u = "+Custom(contract.Observe, sampled, "%w", "tensor<1xi64>", "tensor<i8>"))
}
