package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// The budgets of the suite jit, over XLA.
const (
	jitRun     = 2
	jitCompile = 1
)

// A jitProgram is a function of arrays.
type jitProgram struct {
	name   string
	elem   tensor.DType // of the parameters; the zero value is f32
	params [][]int
	build  func(x []builder.Value) builder.Value
	slow   bool // on the interpreter: it is not run there
}

var jitPrograms = []jitProgram{
	{"mlp", 0, [][]int{{128, 784}, {784, 512}, {512, 10}}, func(x []builder.Value) builder.Value {
		return builder.Dot(builder.Tanh(builder.Dot(x[0], x[1])), x[2])
	}, true},
	{"attention", 0, [][]int{{8, 128, 64}, {8, 128, 64}, {8, 128, 64}}, func(x []builder.Value) builder.Value {
		scores := builder.Mul(builder.Einsum("bqd,bkd->bqk", x[0], x[1]), 0.125)
		return builder.Einsum("bqk,bkd->bqd", nn.Softmax(scores, -1), x[2])
	}, true},
	{"softmax", 0, [][]int{{256, 1024}}, func(x []builder.Value) builder.Value { return nn.Softmax(x[0], -1) }, true},
	{"layernorm", 0, [][]int{{256, 1024}, {1024}, {1024}}, func(x []builder.Value) builder.Value {
		return nn.LayerNorm(x[0], x[1], x[2], 1e-5)
	}, true},
	{"convolution", 0, [][]int{{4, 28, 28, 16}, {3, 3, 16, 32}}, func(x []builder.Value) builder.Value {
		return builder.Conv(x[0], x[1], builder.ConvOptions{Same: true})
	}, true},
	{"gru", 0, [][]int{{32, 64}, {64, 64}, {64, 64}, {64, 64}}, gruScan, true},
	{"sort", 0, [][]int{{16, 4096}}, func(x []builder.Value) builder.Value {
		return builder.SortAscending(x[0], 1)
	}, true},
	{"elementwise", 0, [][]int{{1 << 18}, {1 << 18}}, func(x []builder.Value) builder.Value {
		y := builder.Add(builder.Mul(x[0], x[1]), 1)
		return builder.Sub(builder.Div(builder.Exp(builder.Neg(y)), 2), builder.Max(y, 0))
	}, false},
}

// gruScan runs a recurrent cell 16 times.
func gruScan(x []builder.Value) builder.Value {
	h := x[0]
	steps := builder.Scalar(h.Func(), int32(16))
	return builder.Loop(steps, h, func(_, h builder.Value) builder.Value {
		z := builder.Sigmoid(builder.Dot(h, x[1]))
		r := builder.Sigmoid(builder.Dot(h, x[2]))
		n := builder.Tanh(builder.Dot(builder.Mul(r, h), x[3]))
		return builder.Add(builder.Mul(builder.Sub(1, z), n), builder.Mul(z, h))
	}, builder.LoopOptions{})
}

// jitSuite measures programs that package jit compiles, beside XLA, and the interpreter where it is not too slow.
func jitSuite(ctx context.Context, s settings, r *report) (err error) {
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
	for _, p := range jitPrograms {
		if err := p.measure(ctx, c, client, s, r); err != nil {
			return fmt.Errorf("jit/%s: %w", p.name, err)
		}
	}
	if err := measureCallback(ctx, c, client, s, r); err != nil {
		return fmt.Errorf("jit/callback: %w", err)
	}
	if err := measureTraining(ctx, c, client, s, r); err != nil {
		return fmt.Errorf("jit/train: %w", err)
	}
	return nil
}

// module builds the program.
func (p jitProgram) module(c *mlir.Context) (*mlir.Module, error) {
	b := builder.New(c, builder.Options{})
	var shapes []tensor.Shape
	for _, dims := range p.params {
		shapes = append(shapes, tensor.ShapeOf(cmp.Or(p.elem, tensor.F32), dims...))
	}
	f := b.Func("main", shapes...)
	var x []builder.Value
	for i := range shapes {
		x = append(x, f.Param(i))
	}
	f.Return(p.build(x))
	return b.Module()
}

// measureCompile measures compiles.
func (p jitProgram) measureCompile(
	ctx context.Context, m *mlir.Module, program engine.Program, client *bridge.Client, s settings, r *report,
) (err error) {
	var made []io.Closer // what a compile takes is not what closing takes
	defer func() {
		for _, e := range made {
			err = errors.Join(err, e.Close())
		}
	}()
	got, err := inTurn([]work{
		{name: "jit", most: 1, do: func(int) error {
			e, err := jit.Compile(ctx, m, jit.Options{})
			if err == nil {
				made = append(made, e)
			}
			return err
		}},
		{name: "xla", most: 1, do: func(int) error {
			e, err := client.Compile(ctx, program, engine.CompileOptions{})
			if err == nil {
				made = append(made, e)
			}
			return err
		}},
	}, s.repeat)
	if err != nil {
		return err
	}
	r.figure("jit/"+p.name+"/compile", got.over("jit", "xla"), "of XLA", atMost(jitCompile))
	return nil
}

// measure measures the compiles and the runs of a program.
func (p jitProgram) measure(
	ctx context.Context, c *mlir.Context, client *bridge.Client, s settings, r *report,
) (err error) {
	m, err := p.module(c)
	if err != nil {
		return err
	}
	defer m.Close()
	program := passes.Program(m, passes.PrepareOptions{})
	if err := p.measureCompile(ctx, m, program, client, s, r); err != nil {
		return err
	}
	mine, err := jit.Compile(ctx, m, jit.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mine.Close()) }()
	xla, err := client.Compile(ctx, program, engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, xla.Close()) }()
	if err := p.isolate(ctx, m, s, r); err != nil {
		return err
	}

	inputs, outputs := p.arrays(mine)
	works := runsOf(ctx, mine, xla, inputs, outputs)
	if !p.slow {
		slow, err := stages.Compile(ctx, m, stages.Options{Devices: []stages.Device{stages.Interpreter()}})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, slow.Close()) }()
		works = append(works, work{name: "interpreter", most: 1, do: func(n int) (err error) {
			for i := 0; i < n && err == nil; i++ {
				_, err = slow.Call(ctx, inputs...)
			}
			return err
		}})
	}
	got, err := inTurn(works, s.repeat)
	if err != nil {
		return err
	}
	got.report(r, "jit/"+p.name+"/")
	r.figure("jit/"+p.name+"/run", got[0].wall/got[1].wall, "of XLA", atMost(jitRun))
	return nil
}

// runsOf returns runs by package jit, and by XLA.
func runsOf(
	ctx context.Context, mine *jit.Executable, xla engine.Executable, inputs, outputs []tensor.View,
) []work {
	return []work{
		{name: "jit", do: func(n int) (err error) {
			for i := 0; i < n && err == nil; i++ {
				err = mine.CallInto(ctx, outputs, inputs...)
			}
			return err
		}},
		{name: "xla", do: func(n int) error { return runStaged(ctx, xla, n, borrowed(inputs)...) }},
	}
}

// isolate measures compiles whose passes run in a child process.
func (p jitProgram) isolate(ctx context.Context, m *mlir.Module, s settings, r *report) error {
	compile := func(o jit.Options) func(n int) error {
		return func(n int) error {
			for range n {
				e, err := jit.Compile(ctx, m, o)
				if err != nil {
					return err
				}
				if err := e.Close(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	got, err := inTurn([]work{{name: "alone", do: compile(jit.Options{})},
		{name: "isolated", do: compile(jit.Options{Isolate: true})}}, s.repeat)
	if err != nil {
		return err
	}
	r.figure("jit/"+p.name+"/isolate", got.overInTurn("isolated", "alone"), "of a compile without", nil)
	return nil
}

// arrays returns arrays of random numbers, or of zeros of another type than f32, and memory for the results.
func (p jitProgram) arrays(e *jit.Executable) (inputs, outputs []tensor.View) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shape := range e.Inputs() {
		if shape.DType != tensor.F32 {
			inputs = append(inputs, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
			continue
		}
		data := make([]float32, shape.NumElements())
		for i := range data {
			data[i] = float32(random.NormFloat64()) / 4
		}
		v, _ := tensor.FromSlice(data, shape.Dims...)
		inputs = append(inputs, v)
	}
	for _, shape := range e.Outputs() {
		outputs = append(outputs, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
	}
	return inputs, outputs
}

// borrowed returns arrays that a run of XLA reads in place.
func borrowed(views []tensor.View) []engine.Input {
	list := make([]engine.Input, len(views))
	for i, v := range views {
		list[i] = engine.Borrow(v)
	}
	return list
}
