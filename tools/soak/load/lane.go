package load

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

const (
	// perRun is how many calls a run makes: two in each turn of its loop.
	perRun = 1000
	// failEach is after how many runs one more fails on purpose.
	failEach = 499
	// every is the "every" of the sampled tap.
	every = 10
)

// lane is the runs of one way of dispatch: a program, two functions and their counts.
type lane struct {
	way        callbacks.Dispatch
	executable *bridge.Executable
	main, tap  kept
}

// kept is what a function counted, and what the runs did with it.
type kept struct {
	name                   string
	calls, sum             atomic.Int64 // by the function
	fired, wantSum, failed atomic.Int64 // by the runs
}

// prepare binds the functions and compiles a program for each way.
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
		if one.executable, err = l.client.Compile(ctx, []byte(one.module()), bridge.CompileOptions{}); err != nil {
			return err
		}
		l.lanes = append(l.lanes, one)
	}
	return nil
}

// step is called with a number that grows by one from call to call; where it has a
// result, that is it that grows. A negative number is one to fail with.
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

// execute makes that many calls with numbers that no other run has.
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

// fail executes one turn whose call fails, which ends the run, but for a tap's.
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
	in, err := client.Buffer(tensor.Vector(start), device)
	if err != nil {
		return err
	}
	defer in.Close()
	limit, err := client.Buffer(tensor.Scalar(int32(turns)), device)
	if err != nil {
		return err
	}
	defer limit.Close()
	out, err := l.executable.Run(ctx, in, limit)
	if err != nil {
		return err
	}
	v, err := out[0].ToHost()
	if err := errors.Join(err, out[0].Close()); err != nil {
		return err
	}
	if got, err := tensor.Slice[int64](v); err != nil || got[0] != start+turns {
		return fmt.Errorf("the result is %v, %w; want %d", got, err, start+turns)
	}
	return nil
}

// module is a loop whose turns call the main function and the sampled tap.
func (l *lane) module() string {
	const typ = "tensor<1xi64>"
	config := func(form contract.Form, name, more string) string {
		return fmt.Sprintf("api_version = 4 : i32, has_side_effect = true, backend_config = {v = %d : i64, form = %q, callback = %q, registry = \"soak\"%s}",
			contract.Version, form, name, more)
	}
	call := fmt.Sprintf(`%%w = stablehlo.custom_call @%s(%%v) {%s,
        output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (%s) -> %s`,
		contract.TargetIOCallback, config(contract.Passthrough, l.main.name, ""), typ, typ)
	if l.way == callbacks.Async {
		call = fmt.Sprintf(`%%t = stablehlo.custom_call @%s(%%v) {%s} : (%s) -> tensor<i8>
      %%ones = stablehlo.constant dense<1> : %s
      %%w = stablehlo.add %%v, %%ones : %s`, contract.TargetIOCallback, config(contract.Observe, l.main.name, ""), typ, typ, typ)
	}
	return fmt.Sprintf(`func.func @main(%%x: %[1]s, %%n: tensor<i32>) -> %[1]s {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%v = %%x) : tensor<i32>, %[1]s
    cond {
      %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %%p : tensor<i1>
    } do {
      %[2]s
      %%u = stablehlo.custom_call @%[3]s(%%w) {%[4]s} : (%[1]s) -> tensor<i8>
      %%j = stablehlo.add %%i, %%one : tensor<i32>
      stablehlo.return %%j, %%w : tensor<i32>, %[1]s
    }
  return %%r#1 : %[1]s
}`, typ, call, contract.TargetIOCallback, config(contract.Observe, l.tap.name, fmt.Sprintf(", every = %d : i64", every)))
}
