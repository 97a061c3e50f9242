package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// The parameters of the suite stages.
const (
	stagesCallback    = "bench.stages"
	stagesIterations  = 100      // of the loop
	stagesOperations  = 2000     // of the module that is compiled
	stagesCalls       = 20       // in it
	stagesInterpreted = 64 << 10 // bytes: more takes the interpreter long
	stagesCompile     = 1.5      // the budget: the time of cutting and compiling over that of compiling
)

var stagesPayloads = []int{16, 64 << 10, 1 << 20, 16 << 20} // bytes

// A stagesBench has what the measurements of package stages share.
type stagesBench struct {
	client  *bridge.Client
	context *mlir.Context
	settings
	*report
}

// stagesSuite measures what it costs to run a module in stages on the CPU, beside the same module with its callbacks
// inline: the boundary at a callback, by payload; a callback in a loop, by iteration; and cutting and
// compiling a large module.
func stagesSuite(ctx context.Context, s settings, r *report) (err error) {
	err = callbacks.Default.Register(stagesCallback, func(*callbacks.Frame) error { return nil }, callbacks.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callbacks.Default.Unregister(stagesCallback)) }()
	client, err := openClient(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	library, err := openMLIR(ctx)
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	b := &stagesBench{client, c, s, r}
	for _, bytes := range stagesPayloads {
		if err := b.boundary(ctx, bytes); err != nil {
			return fmt.Errorf("stages/boundary/%s: %w", sized(bytes), err)
		}
	}
	if err := b.loop(ctx); err != nil {
		return fmt.Errorf("stages/loop: %w", err)
	}
	if err := b.compile(ctx); err != nil {
		return fmt.Errorf("stages/compile: %w", err)
	}
	return nil
}

// stagesCall returns a call of the callback, which gets an array and returns one.
func stagesCall(to, from, typ string) string {
	return fmt.Sprintf(
		`%s = stablehlo.custom_call @calliope_runtime_call(%s) {api_version = 4 : i32, has_side_effect = true,
  backend_config = {v = 1 : i64, form = "call", callback = %q}} : (%s) -> %[4]s
`, to, from, stagesCallback, typ)
}

func boundaryModule(elements int) string {
	typ := fmt.Sprintf("tensor<%dxf32>", elements)
	return fmt.Sprintf(`func.func @main(%%x: %s) -> %[1]s {
  %%a = stablehlo.add %%x, %%x : %[1]s
  %[2]s  %%c = stablehlo.add %%b, %%b : %[1]s
  return %%c : %[1]s
}`, typ, stagesCall("%b", "%a", typ))
}

// boundary measures a module with one callback, also on the interpreter. By hand, two programs without callbacks are
// run with a call of a function between them, which is what its stages must do.
func (b *stagesBench) boundary(ctx context.Context, bytes int) error {
	m, err := b.context.Parse("", []byte(boundaryModule(bytes/4)))
	if err != nil {
		return err
	}
	defer m.Close()
	inline, staged, plan, err := b.both(ctx, m)
	if err != nil {
		return err
	}
	defer inline.Close()
	defer staged.Close()
	defer plan.Close()
	half, err := b.client.Compile(ctx, bridge.Source(runModule(bytes/4)), engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer half.Close()
	in, err := b.client.ArrayFromHost(ctx, tensor.Vector(make([]float32, bytes/4)...), 0)
	if err != nil {
		return err
	}
	defer in.Close()
	works := []work{
		{name: "inline", do: func(n int) error { return runStaged(ctx, inline, n, in) }},
		{name: "staged", do: func(n int) error { return runStaged(ctx, staged, n, in) }},
		{name: "by-hand", do: func(n int) error { return byHand(ctx, half, in, n) }},
	}
	if bytes <= stagesInterpreted {
		interpreted, err := stages.Compile(ctx, m, stages.Options{})
		if err != nil {
			return err
		}
		defer interpreted.Close()
		host := tensor.Vector(make([]float32, bytes/4)...)
		works = append(works, work{name: "interpreter", do: func(n int) error {
			for range n {
				if _, err := interpreted.Call(ctx, host); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	got, err := inTurn(works, b.repeat*runTurns)
	if err != nil {
		return err
	}
	prefix := "stages/boundary/" + sized(bytes) + "/"
	sent, returned := plan.Callbacks()[0].Bytes()
	b.figure(prefix+"crossed", float64(sent+returned), "bytes", nil)
	got.report(b.report, prefix)
	b.figure(prefix+"staged-over-inline", got.over("staged", "inline"), "x", nil)
	b.figure(prefix+"staged-over-by-hand", got.over("staged", "by-hand"), "x", nil)
	return nil
}

// both compiles a module with its callbacks inline, and in stages.
func (b *stagesBench) both(
	ctx context.Context, m *mlir.Module,
) (inline, staged engine.Executable, plan *stages.Plan, err error) {
	if inline, err = stages.Compile(ctx, m, stages.Options{Devices: stages.On(b.client.Engine())}); err != nil {
		return nil, nil, nil, err
	}
	if plan, err = stages.Cut(m, b.cut()); err != nil {
		return nil, nil, nil, errors.Join(err, inline.Close())
	}
	if staged, err = plan.Compile(ctx); err != nil {
		return nil, nil, nil, errors.Join(err, inline.Close(), plan.Close())
	}
	return inline, staged, plan, nil
}

func (b *stagesBench) cut() stages.Options {
	return stages.Options{Devices: stages.On(b.client.Engine()),
		Force: map[string]stages.Decision{stagesCallback: stages.Boundary}}
}

func runStaged(ctx context.Context, e engine.Executable, n int, in ...engine.Input) error {
	for range n {
		out, err := e.Run(ctx, in...)
		if err != nil {
			return err
		}
		if err := closeAll(out); err != nil {
			return err
		}
	}
	return nil
}

func closeAll(buffers []*engine.Array) error {
	var errs []error
	for _, b := range buffers {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// byHand runs a program, views its result, makes an array for the function's result, and runs the program on that.
func byHand(ctx context.Context, half *bridge.Executable, in *engine.Array, n int) error {
	for range n {
		first, err := half.Run(ctx, in)
		if err != nil {
			return err
		}
		view, err := first[0].View(ctx)
		if err != nil {
			return err
		}
		result := tensor.View{Shape: view.Tensor().Shape, Data: make([]byte, len(view.Tensor().Data))}
		second, err := half.Run(ctx, engine.Borrow(result))
		if err := errors.Join(err, view.Close(), closeAll(first), closeAll(second)); err != nil {
			return err
		}
	}
	return nil
}

// loop measures a loop with a callback in its body.
func (b *stagesBench) loop(ctx context.Context) error {
	m, err := b.context.Parse("", []byte(fmt.Sprintf(`func.func @main(%%v: tensor<4xf32>) -> tensor<4xf32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%n = stablehlo.constant dense<%d> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%x = %%v) : tensor<i32>, tensor<4xf32>
   cond {
    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    %[2]s    %%z = stablehlo.add %%y, %%y : tensor<4xf32>
    %%j = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%j, %%z : tensor<i32>, tensor<4xf32>
  }
  return %%r#1 : tensor<4xf32>
}`, stagesIterations, stagesCall("%y", "%x", "tensor<4xf32>"))))
	if err != nil {
		return err
	}
	defer m.Close()
	inline, staged, plan, err := b.both(ctx, m)
	if err != nil {
		return err
	}
	defer inline.Close()
	defer staged.Close()
	defer plan.Close()
	in := tensor.Vector[float32](1, 2, 3, 4)
	got, err := inTurn([]work{
		{name: "inline", do: func(n int) error { return runStaged(ctx, inline, n, in) }},
		{name: "staged", do: func(n int) error { return runStaged(ctx, staged, n, in) }},
	}, b.repeat)
	if err != nil {
		return err
	}
	for i := range got {
		got[i].cost = got[i].cost.each(stagesIterations, stagesIterations)
	}
	got.report(b.report, "stages/iteration/")
	return nil
}

// stagesModule returns a module with the given numbers of operations and calls, which come at equal distances. It has
// no pattern: XLA compiles equal parts of a module once, and so does package stages.
func stagesModule(operations, calls int) string {
	const typ = "tensor<64xf32>"
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	fmt.Fprintf(&text, "func.func @main(%%x: %s) -> %[1]s {\n %%v0 = stablehlo.add %%x, %%x : %[1]s\n", typ)
	for i := 1; i < operations; i++ {
		to, last, before := fmt.Sprintf("%%v%d", i), fmt.Sprintf("%%v%d", i-1),
			fmt.Sprintf("%%v%d", max(0, i-1-r.IntN(6)))
		switch kind := r.IntN(12); {
		case i%(operations/calls) == operations/calls/2:
			text.WriteString(" " + stagesCall(to, last, typ))
		case kind == 0:
			fmt.Fprintf(&text, " %s = stablehlo.reverse %s, dims = [0] : %s\n", to, last, typ)
		case kind <= 2:
			fmt.Fprintf(&text, " %s = stablehlo.logistic %s : %s\n", to, last, typ)
		case kind <= 4:
			fmt.Fprintf(&text, " %s = stablehlo.tanh %s : %s\n", to, last, typ)
		default:
			op := []string{"add", "subtract", "multiply", "maximum"}[r.IntN(4)]
			fmt.Fprintf(&text, " %s = stablehlo.%s %s, %s : %s\n", to, op, last, before, typ)
		}
	}
	fmt.Fprintf(&text, " return %%v%d : %s\n}", operations-1, typ)
	return text.String()
}

// compile measures cutting and compiling a module, beside compiling it as it is. "again" is a second program of it
// beside the first, whose stages it shares.
func (b *stagesBench) compile(ctx context.Context) error {
	m, err := b.context.Parse("", []byte(stagesModule(stagesOperations, stagesCalls)))
	if err != nil {
		return err
	}
	defer m.Close()
	plan, err := stages.Cut(m, b.cut())
	if err != nil {
		return err
	}
	defer plan.Close()
	compiled := func(o stages.Options) error {
		e, err := stages.Compile(ctx, m, o)
		if err != nil {
			return err
		}
		return e.Close()
	}
	var first engine.Executable
	ways := []struct {
		name string
		do   func() error
	}{
		{"again", func() error { return compiled(b.cut()) }},
		{"plain", func() error { return compiled(stages.Options{Devices: stages.On(b.client.Engine())}) }},
		{"staged", func() error { return compiled(b.cut()) }},
		{"cut", func() error {
			p, err := stages.Cut(m, b.cut())
			if err != nil {
				return err
			}
			return p.Close()
		}},
	}
	got := make(costs, len(ways))
	for range b.repeat {
		for _, i := range rand.Perm(len(ways)) {
			if ways[i].name == "again" {
				if first, err = stages.Compile(ctx, m, b.cut()); err != nil {
					return err
				}
			}
			c, err := meter(ways[i].do)
			if first != nil {
				err = errors.Join(err, first.Close())
				first = nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", ways[i].name, err)
			}
			got[i].turns = append(got[i].turns, c)
		}
	}
	for i, way := range ways {
		got[i].name, got[i].cost = way.name, least(got[i].turns)
	}
	prefix := fmt.Sprintf("stages/compile/%d/", stagesOperations)
	b.figure(prefix+"callbacks", float64(len(plan.Callbacks())), "callbacks", nil)
	b.figure(prefix+"stages", float64(len(plan.Stages())), "stages", nil)
	for _, n := range got {
		b.figure(prefix+n.name, n.wall/1e3, "ms", nil)
		b.figure(prefix+n.name+"/cpu", n.cpu/1e3, "ms", nil)
	}
	b.figure(prefix+"goal/staged-over-plain", got.overInTurn("staged", "plain"), "x", atMost(stagesCompile))
	return nil
}
