package main

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/optim"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// trainModule builds a step that trains two layers with momentum. Its four results are the next ones of the first four
// parameters, which are donated.
func trainModule(c *mlir.Context) (*mlir.Module, error) {
	b := builder.New(c, builder.Options{})
	var s builder.Signature
	for i, dims := range [][]int{{784, 512}, {512, 10}, {784, 512}, {512, 10}, {16, 784}, {16, 10}} {
		s.Params = append(s.Params, builder.Param{Shape: tensor.ShapeOf(tensor.F32, dims...), Donate: i < 4})
	}
	f := b.FuncWith("main", s)
	weights := [2]builder.Value{f.Param(0), f.Param(1)}
	gradient := builder.Grad(func(w [2]builder.Value) builder.Value {
		y := builder.Dot(builder.Tanh(builder.Dot(f.Param(4), w[0])), w[1])
		return builder.ReduceMean(builder.Square(builder.Sub(y, f.Param(5))))
	})(weights)
	weights, velocity := optim.Momentum(0.01, 0.9, weights, [2]builder.Value{f.Param(2), f.Param(3)}, gradient)
	f.Return(weights[0], weights[1], velocity[0], velocity[1])
	return b.Module()
}

// measureTraining measures steps of training: by Run, whose buffers the next step takes, and by Call, which makes new
// arrays. XLA is beside them.
func measureTraining(ctx context.Context, c *mlir.Context, client *bridge.Client, s settings, r *report) (err error) {
	m, err := trainModule(c)
	if err != nil {
		return err
	}
	defer m.Close()
	var works []work
	for _, on := range []struct {
		name   string
		device stages.Device
	}{{"jit", stages.JIT()}, {"xla", stages.On(client.Engine())[0]}} {
		e, err := stages.Compile(ctx, m, stages.Options{Devices: []stages.Device{on.device}})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.Close()) }()
		var initial []tensor.View
		for _, shape := range e.Inputs() {
			initial = append(initial, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
		}
		works = append(works,
			work{name: on.name, do: func(n int) error { return trainByRun(ctx, e, initial, n) }},
			work{name: on.name + "-call", do: func(n int) error { return trainByCall(ctx, e, initial, n) }})
	}
	got, err := inTurn(works, s.repeat)
	if err != nil {
		return err
	}
	got.report(r, "jit/train/")
	r.figure("jit/train/run", got[0].wall/got[2].wall, "of XLA", atMost(jitRun))
	r.figure("jit/train/buffers", got[0].wall/got[1].wall, "of Call", atMost(1))
	return nil
}

func trainByRun(ctx context.Context, e engine.Executable, initial []tensor.View, n int) error {
	inputs := make([]engine.Input, len(initial))
	for i, v := range initial {
		inputs[i] = v
	}
	var last []*engine.Array
	for range n {
		var err error
		if last, err = e.Run(ctx, inputs...); err != nil {
			return err
		}
		for i, b := range last {
			inputs[i] = engine.Donate(b)
		}
	}
	return closeAll(last)
}

func trainByCall(ctx context.Context, e engine.Executable, initial []tensor.View, n int) error {
	inputs := append([]tensor.View{}, initial...)
	for range n {
		next, err := e.Call(ctx, inputs...)
		if err != nil {
			return err
		}
		copy(inputs, next)
	}
	return nil
}
