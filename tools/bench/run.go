package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

//go:embed jax_ask.py
var jaxAsk string

// XLA executes a small module on the thread that starts it, and a large one on its own
// threads.
const (
	smallRun = 4 // elements
	largeRun = 2048
	hostRun  = 1 << 18 // elements that ToHost copies: 1 MiB
	runTurns = 10      // for each repetition
)

// runSuite measures the cost of an execution, compared with a loop in C on the PJRT table,
// gopjrt and JAX.
func runSuite(ctx context.Context, s settings, r *report) (err error) {
	plugin, err := openPlugin(ctx)
	if err != nil {
		return err
	}
	table, err := bare(plugin)
	if err != nil {
		return err
	}
	peer, err := openGopjrt(table.API())
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	python, err := startPython(ctx, s, jaxAsk)
	if err != nil {
		return err
	}
	if python != nil {
		defer python.stop()
	}
	for _, size := range []struct {
		name   string
		length int
	}{{"small", smallRun}, {"large", largeRun}} {
		m := &runMeasure{client: client, gopjrt: peer, python: python, turns: s.repeat * runTurns, length: size.length}
		got, err := m.measure(ctx, table)
		if err != nil {
			return fmt.Errorf("run/%s: %w", size.name, err)
		}
		got.report(r, "run/"+size.name+"/")
		runGoals(r, size.name, got)
	}
	return errors.Join(toHost(client, s, r), zeroCopy(client, s, r))
}

// runGoals prints the lines with a budget. The budgets hold on an otherwise idle machine.
// For a small module, an execution whose context can end takes at most 6 µs more than C
// alone. For a large module it takes at most 1 µs more than one whose context cannot end; C
// alone takes 3.3 µs. An array in and out takes at most 6 µs in all.
func runGoals(r *report, size string, got costs) {
	if size == "small" {
		r.figure("run/small/goal/background-over-c", got.over("go", "c"), "x", atMost(1.5))
		r.figure("run/small/goal/cancellable-over-c", got.over("go-cancellable", "c"), "x", atMost(5))
		r.figure("run/small/goal/round-over-c", got.over("go-round", "c-round"), "x", atMost(2.2))
		return
	}
	r.figure("run/large/goal/background-over-c", got.overInTurn("go", "c"), "x", atMost(1.5))
	r.figure("run/large/goal/cancellable-extra-over-c", got.extraInTurn("go-cancellable", "go", "c"), "x", atMost(0.3))
}

// runMeasure holds the ways to execute one module.
type runMeasure struct {
	client *bridge.Client
	gopjrt gopjrtPlugin
	python *child
	turns  int
	length int
}

func runModule(length int) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dxf32>) -> tensor<%[1]dxf32> {
  %%y = stablehlo.add %%x, %%x : tensor<%[1]dxf32>
  return %%y : tensor<%[1]dxf32>
}`, length)
}

func (m *runMeasure) measure(ctx context.Context, table *pjrt.Plugin) (got costs, err error) {
	module := runModule(m.length)
	inC, err := floor.OpenBare(table, []byte(module), m.length)
	if err != nil {
		return nil, err
	}
	defer inC.Close()
	theirs, err := m.gopjrt.compile(module, m.length)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, theirs.close()) }()
	executable, err := m.client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, executable.Close()) }()
	view := tensor.Vector(make([]float32, m.length)...)
	in, err := m.client.ArrayFromHost(ctx, view, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cancellable, cancel := context.WithCancel(ctx)
	defer cancel()
	bareRuns := func(way floor.BareWay) func(n int) error {
		return func(n int) error {
			_, err := inC.Run(way, n)
			return err
		}
	}
	works := []work{
		{name: "c", do: bareRuns(floor.BareRun)},
		{name: "c-helper", do: bareRuns(floor.BareHelper)},
		{name: "c-helper-spin", do: bareRuns(floor.BareHelperSpin)},
		{name: "c-round", do: bareRuns(floor.BareRound)},
		{name: "gopjrt", do: theirs.run},
		{name: "gopjrt-round", do: theirs.round},
		{name: "go", do: func(n int) error { return execute(context.Background(), executable, in, n, false) }},
		{name: "go-cancellable", do: func(n int) error { return execute(cancellable, executable, in, n, false) }},
		{name: "go-round", do: func(n int) error { return execute(context.Background(), executable, view, n, true) }},
	}
	if got, err = inTurn(works, m.turns); err != nil || m.python == nil {
		return got, err
	}
	for _, name := range []string{"run", "round"} {
		theirs, err := m.python.inTurn(m.turns/runTurns*3, fmt.Sprintf("%s %d", name, m.length))
		if err != nil {
			return nil, err
		}
		theirs[0].name = "jax-" + name
		got = append(got, theirs...)
	}
	return got, nil
}

// execute executes n times, and copies the results to the host if asked.
func execute(ctx context.Context, e *bridge.Executable, in engine.Input, n int, host bool) error {
	for range n {
		out, err := e.Run(ctx, in)
		if err != nil {
			return err
		}
		if host {
			_, err = out[0].ToHost(ctx)
		}
		if err := errors.Join(err, out[0].Close()); err != nil {
			return err
		}
	}
	return nil
}

// toHost compares copies of 1 MiB from a finished buffer with plain copies.
func toHost(client *bridge.Client, s settings, r *report) error {
	from := make([]byte, 4*hostRun)
	to := make([]byte, len(from))
	into := tensor.View{Shape: tensor.ShapeOf(tensor.F32, hostRun), Data: make([]byte, len(from))}
	b, err := client.ArrayFromHost(context.Background(),
		tensor.View{Shape: tensor.ShapeOf(tensor.F32, hostRun), Data: from}, 0)
	if err != nil {
		return err
	}
	defer b.Close()
	var kept []byte
	works := []work{
		{name: "copy", do: func(n int) error {
			for range n {
				copy(to, from)
			}
			return nil
		}},
		{name: "copy-fresh", do: func(n int) error {
			for range n {
				kept = append([]byte(nil), from...)
			}
			return nil
		}},
		{name: "go", do: func(n int) error {
			for range n {
				v, err := b.ToHost(context.Background())
				if err != nil {
					return err
				}
				kept = v.Data
			}
			return nil
		}},
		{name: "go-into", do: func(n int) error {
			for range n {
				if err := b.CopyTo(context.Background(), into); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	got, err := inTurn(works, s.repeat*runTurns)
	runtime.KeepAlive(kept)
	if err != nil {
		return err
	}
	got.report(r, "run/tohost1MiB/")
	// ToHost also allocates the memory that it copies to.
	r.figure("run/tohost1MiB/goal/into-over-copy", got.over("go-into", "copy"), "x", atMost(1.25))
	r.figure("run/tohost1MiB/goal/over-copy-fresh", got.over("go", "copy-fresh"), "x", atMost(1.25))
	return nil
}
