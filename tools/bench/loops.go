package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

const (
	mostCalls = 1 << 17              // calls in one device loop
	mostRuns  = 8                    // concurrent runs
	loopTime  = 5 * time.Millisecond // shortest time of one measurement
)

// caller describes the target of a device loop's calls: a function in Go, or a handler in
// C.
type caller struct {
	name     string
	target   string
	callback string // "" if the handler is in C
	form     contract.Form
}

// inGo returns a function that does nothing and is called in one way.
func inGo(name string, o callbacks.Options) (caller, error) {
	callback := "bench " + name
	nothing := func(*callbacks.Frame) error { return nil }
	if err := callbacks.Default.Register(callback, nothing, o); err != nil {
		return caller{}, err
	}
	return caller{name: "go-" + name, target: contract.TargetIOCallback, callback: callback, form: formOf(o.Dispatch)},
		nil
}

// formOf returns the form in which a way is measured. Async is for taps only; the others
// pass their operand through.
func formOf(way callbacks.Dispatch) contract.Form {
	if way == callbacks.Async {
		return contract.Observe
	}
	return contract.Passthrough
}

// inC returns a handler in C.
func inC(name, target string, form contract.Form) caller {
	return caller{name: name, target: target, form: form}
}

// module returns a module that makes calls with an array in a loop. The second argument is
// the number of calls. The result is a scalar, so that a run need not make a copy for it.
func (c caller) module(elements int) string {
	shape := fmt.Sprintf("%dxf32", elements)
	config := fmt.Sprintf(`{callback = %q, form = %q, v = %d : i64}`, c.callback, c.form, contract.Version)
	body, result := passthroughCall(c.target, config, shape), "%y"
	if c.form == contract.Observe {
		body = fmt.Sprintf("%%t = stablehlo.custom_call @%s(%%x) {api_version = 4 : i32, has_side_effect = true, backend_config = %s} : (tensor<%s>) -> tensor<i8>",
			c.target, config, shape)
		result = "%x"
	}
	return fmt.Sprintf(`func.func @main(%%v: tensor<%[1]s>, %%n: tensor<i32>) -> tensor<i32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%x = %%v) : tensor<i32>, tensor<%[1]s>
   cond {
    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    %[2]s
    %%j = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%j, %[3]s : tensor<i32>, tensor<%[1]s>
  }
  return %%r#0 : tensor<i32>
}`, shape, body, result)
}

// loops holds device loops of callers with one payload, and an operand for each device.
type loops struct {
	client      *bridge.Client
	callers     []caller
	executables []*bridge.Executable
	inputs      []*engine.Array
}

// newLoops compiles the loops for n concurrent runs, each on its own device. All runs of a
// caller share one call site.
func newLoops(ctx context.Context, client *bridge.Client, callers []caller, bytes, runs int) (l *loops, err error) {
	l = &loops{client: client, callers: callers}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	for _, c := range callers {
		e, err := client.Compile(ctx, bridge.Source(c.module(bytes/4)), engine.CompileOptions{})
		if err != nil {
			return l, fmt.Errorf("%s: %w", c.name, err)
		}
		l.executables = append(l.executables, e)
	}
	data, err := tensor.FromSlice(make([]float32, bytes/4), bytes/4)
	if err != nil {
		return l, err
	}
	for device := range runs {
		b, err := client.ArrayFromHost(ctx, data, device)
		if err != nil {
			return l, err
		}
		l.inputs = append(l.inputs, b)
	}
	return l, nil
}

func (l *loops) close() error {
	var errs []error
	for _, b := range l.inputs {
		errs = append(errs, b.Close())
	}
	for _, e := range l.executables {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// measure measures the callers alternately, with the given number of concurrent runs. It
// subtracts the time of a run without calls, for example for the copy of its operand.
func (l *loops) measure(ctx context.Context, runs, turns int) (costs, error) {
	works := make([]work, len(l.callers))
	for i, c := range l.callers {
		works[i] = work{
			name: c.name, lanes: runs, nothing: true, least: loopTime, most: mostCalls,
			do: func(n int) error { return l.run(ctx, l.executables[i], runs, n) },
		}
	}
	return inTurn(works, turns)
}

// run makes the given number of calls in each of the runs, and waits until the last one is
// delivered.
func (l *loops) run(ctx context.Context, e *bridge.Executable, runs, calls int) error {
	errs := make([]error, runs)
	var wait sync.WaitGroup
	for device := range runs {
		wait.Go(func() { errs[device] = l.runOne(ctx, e, device, calls) })
	}
	wait.Wait()
	return errors.Join(append(errs, l.client.Barrier(ctx, "bench"))...)
}

func (l *loops) runOne(ctx context.Context, e *bridge.Executable, device, calls int) error {
	n, err := l.client.ArrayFromHost(ctx, tensor.Scalar(int32(calls)), device)
	if err != nil {
		return err
	}
	defer n.Close()
	out, err := e.Run(ctx, l.inputs[device], n)
	if err != nil {
		return err
	}
	return out[0].Close()
}
