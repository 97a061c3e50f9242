package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// orderSuite measures what the order of effects costs: an execution with runtime tokens over
// one without, on one device and on two in turn, the latter beside the bare copy of an empty array to
// another device, an ordered callback over an unordered one, and a barrier while nothing runs.
func orderSuite(ctx context.Context, s settings, r *report) (err error) {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	table, err := bare(plugin)
	if err != nil {
		return err
	}
	peer, err := openGopjrt(table.API())
	if err != nil {
		return err
	}
	token, err := peer.token()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, token.close()) }()
	for _, size := range []struct {
		name   string
		length int
	}{{"small", smallRun}, {"large", largeRun}} {
		got, err := orderedRuns(ctx, client, token, size.length, s.repeat*runTurns)
		if err != nil {
			return fmt.Errorf("order/%s: %w", size.name, err)
		}
		got.report(r, "order/"+size.name+"/")
		// The times of a large module depend on which thread wakes first, so the difference is
		// that of one turn.
		extra := func(a, b string) float64 {
			return got.inTurn(func(turn int) float64 { return got.wall(a, turn) - got.wall(b, turn) })
		}
		// The budget holds on an otherwise idle machine: for a large module, which other threads
		// execute, values-extra alone is up to 8 µs on a busy one.
		r.figure("order/"+size.name+"/goal/tokens-extra", extra("tokens", "plain"), "us", atMost(3))
		r.figure("order/"+size.name+"/values-extra", extra("values", "plain"), "us", nil)
		// Two runs, one on each device: the second waits for the first, and needs a copy of its
		// token unless it is over. bare-copy is that copy alone.
		r.figure("order/"+size.name+"/devices-extra", extra("tokens-devices", "plain-devices"), "us", nil)
	}
	idle, err := inTurn([]work{{name: "idle", least: turnTime, do: func(n int) error {
		for range n {
			if err := client.Barrier(ctx, "bench"); err != nil {
				return err
			}
		}
		return nil
	}}}, s.repeat*runTurns)
	if err != nil {
		return err
	}
	idle.report(r, "order/barrier/")
	got, err := orderedCalls(ctx, client, s.repeat*runTurns)
	if err != nil {
		return err
	}
	got.report(r, "order/call/")
	r.figure("order/call/goal/ordered-over-unordered", got.over("ordered", "unordered"), "x", atMost(1.2))
	return nil
}

// tokened is a program with the runtime token of one effect.
type tokened struct{ bridge.Source }

// Describe implements bridge.DescribedProgram.
func (t tokened) Describe(string, bool) (contract.Module, error) {
	return contract.Module{Artifact: t.Source, Effects: []string{"bench"}}, nil
}

// tokenedModule is runModule with a runtime token.
func tokenedModule(length int) string {
	return fmt.Sprintf(
		`func.func @main(%%x: tensor<%[1]dxf32>, %%t: tensor<0xi1>) -> (tensor<%[1]dxf32>, tensor<0xi1>) {
  %%y = stablehlo.add %%x, %%x : tensor<%[1]dxf32>
  return %%y, %%t : tensor<%[1]dxf32>, tensor<0xi1>
}`, length)
}

// orderedRuns measures executions with and without a runtime token: each waited for on one
// device, and two at a time, one on each device, of which the second waits for the first. empty
// is copied to another device beside them.
func orderedRuns(
	ctx context.Context, client *bridge.Client, empty *gopjrtToken, length, turns int,
) (got costs, err error) {
	plain, err := client.Compile(ctx, bridge.Source(runModule(length)), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	tokens, err := client.Compile(ctx, tokened{bridge.Source(tokenedModule(length))}, engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tokens.Close()) }()
	var in []*engine.Array
	for device := range 2 {
		b, err := client.ArrayFromHost(ctx, tensor.Vector(make([]float32, length)...), device)
		if err != nil {
			return nil, err
		}
		defer b.Close()
		in = append(in, b)
	}
	values, err := client.Compile(ctx, bridge.Source(tokenedModule(length)), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, values.Close()) }()
	token, err := client.ArrayFromHost(ctx, tensor.View{Shape: tensor.ShapeOf(tensor.Pred, 0)}, 0)
	if err != nil {
		return nil, err
	}
	defer token.Close()
	background := context.Background()
	one := func(e *bridge.Executable) func(n int) error {
		return func(n int) error { return execute(background, e, in[0], n, false) }
	}
	both := func(e *bridge.Executable) func(n int) error {
		return func(n int) error { return executeBoth(background, e, in, n) }
	}
	return inTurn([]work{
		{name: "plain", do: one(plain), least: turnTime},
		{name: "values", do: func(n int) error { return executeValues(background, values, in[0], token, n) },
			least: turnTime},
		{name: "tokens", do: one(tokens), least: turnTime},
		{name: "plain-devices", do: both(plain), least: turnTime},
		{name: "tokens-devices", do: both(tokens), least: turnTime},
		{name: "bare-copy", do: empty.copy, least: turnTime},
	}, turns)
}

// executeValues executes a module with a token as an ordinary value, n times. It is what XLA
// takes for one more parameter and result.
func executeValues(ctx context.Context, e *bridge.Executable, in, token *engine.Array, n int) error {
	for range n {
		out, err := e.Run(ctx, in, token)
		if err != nil {
			return err
		}
		if err := errors.Join(out[0].Close(), out[1].Close()); err != nil {
			return err
		}
	}
	return nil
}

// executeBoth starts a run on each device and waits for both, n times.
func executeBoth(ctx context.Context, e *bridge.Executable, in []*engine.Array, n int) error {
	for range n {
		var started []*bridge.Run
		for _, b := range in {
			run, err := e.Start(ctx, b)
			if err != nil {
				return err
			}
			started = append(started, run)
		}
		for _, run := range started {
			out, err := run.Wait(ctx)
			if err != nil {
				return err
			}
			if err := out[0].Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// orderedCalls measures a tap in a device loop, with and without a token.
func orderedCalls(ctx context.Context, client *bridge.Client, turns int) (got costs, err error) {
	const name = "order"
	nothing := func(*callbacks.Frame) error { return nil }
	if err := callbacks.Default.Register(name, nothing, callbacks.Options{}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, callbacks.Default.Unregister(name)) }()
	var works []work
	for _, ordered := range []bool{false, true} {
		e, err := client.Compile(ctx, bridge.Source(tapLoop(name, ordered)), engine.CompileOptions{})
		if err != nil {
			return nil, err
		}
		defer e.Close()
		w := work{name: "unordered", nothing: true, least: turnTime}
		if ordered {
			w.name = "ordered"
		}
		w.do = func(n int) error {
			return execute(ctx, e, tensor.Scalar(int32(n)), 1, false)
		}
		works = append(works, w)
	}
	return inTurn(works, turns)
}

// tapLoop returns a module that taps the number of each iteration of a loop. Its argument is
// the number of iterations.
func tapLoop(callback string, ordered bool) string {
	operands, types, config, next := "%i", "tensor<i32>", "", "%k"
	aliases := ""
	if ordered {
		operands, types, config, next = "%i, %k", "tensor<i32>, tensor<i8>", ", n_tokens = 1 : i64", "%t"
		aliases = ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]"
	}
	return fmt.Sprintf(`func.func @main(%%n: tensor<i32>) -> tensor<i32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%first = stablehlo.constant dense<0> : tensor<i8>
  %%r:2 = stablehlo.while(%%i = %%zero, %%k = %%first) : tensor<i32>, tensor<i8>
   cond {
    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    %%t = stablehlo.custom_call @%[1]s(%[2]s) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {v = %[3]d : i64, form = "observe", callback = %[4]q%[5]s}%[6]s} : (%[7]s) -> tensor<i8>
    %%j = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%j, %[8]s : tensor<i32>, tensor<i8>
  }
  return %%r#0 : tensor<i32>
}`, contract.TargetIOCallback, operands, contract.Version, callback, config, aliases, types, next)
}
