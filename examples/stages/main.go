// Stages solves f(x) = 0 by Newton's method, where f is a Go function that the compiled loop calls. It
// runs the same program in three ways: with the call inline, cut into stages on the same device, and cut into
// stages on StableHLO's interpreter, which needs no PJRT plugin. Then it prints how the program is cut.
//
// If the two native parts that it needs are missing, it fetches them.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	if err := native.EnsureAll(ctx, native.EnsureOptions{}); err != nil {
		return err
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return err
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	module, err := newton(ir)
	if err != nil {
		return err
	}
	if err := callbacks.Default.Register("f", f, callbacks.Options{}); err != nil {
		return err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return err
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()

	cut := stages.Options{Devices: stages.On(client.Engine()), Force: map[string]stages.Decision{"f": stages.Boundary}}
	for _, way := range []struct {
		name    string
		options stages.Options
	}{
		{"inline", stages.Options{Devices: stages.On(client.Engine())}},
		{"cut", cut},
		{"interpreter", stages.Options{}},
	} {
		e, err := stages.Compile(ctx, module, way.options)
		if err != nil {
			return err
		}
		roots, err := e.Call(ctx, tensor.Vector(1.0, 2, 3))
		if err := errors.Join(err, e.Close()); err != nil {
			return err
		}
		fmt.Printf("%-11s %v\n", way.name, roots[0])
	}

	plan, err := stages.Cut(module, cut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	fmt.Print("\n", plan.Explain())
	return nil
}

// newton returns a module that makes eight steps of Newton's method from each element of its argument.
func newton(ir *mlir.Context) (*mlir.Module, error) {
	shape := tensor.ShapeOf(tensor.F64, 3)
	type values struct{ F, Slope builder.Value }
	type state struct{ Step, X builder.Value }
	b := builder.New(ir, builder.Options{})
	main := b.Func("main", shape)
	end := builder.While(state{builder.Scalar(main, int32(0)), main.Param(0)},
		func(s state) builder.Value { return builder.Lt(s.Step, int32(8)) },
		func(s state) state {
			at := builder.PureCall(values{s.X, s.X}, s.X, builder.Callback{Name: "f"}) // both results are like X
			return state{builder.Add(s.Step, int32(1)), builder.Sub(s.X, builder.Div(at.F, at.Slope))}
		}, builder.LoopOptions{})
	main.Return(end.X)
	return b.Module()
}

// f computes x³ - x - 2, and its slope.
func f(frame *callbacks.Frame) error {
	x, err := tensor.Slice[float64](frame.Args[0])
	if err != nil {
		return err
	}
	value, err := tensor.Slice[float64](frame.Results[0])
	if err != nil {
		return err
	}
	slope, err := tensor.Slice[float64](frame.Results[1])
	if err != nil {
		return err
	}
	for i, x := range x {
		value[i], slope[i] = x*x*x-x-2, 3*x*x-1
	}
	return nil
}
