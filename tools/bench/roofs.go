package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tools/bench/internal/floor"
)

// A roofProgram is a program whose work is known: so many multiplications and additions, or bytes that it must read and
// write.
type roofProgram struct {
	jitProgram
	flops, bytes float64
}

// roofPrograms returns the programs, whose sizes grow.
func roofPrograms() (list []roofProgram) {
	product := func(name string, elem, result tensor.DType, batch, n int, turned bool) {
		rows := 1 // the axis of y that is summed over
		if turned {
			rows = 2
		}
		p := roofProgram{flops: 2 * float64(batch) * float64(n) * float64(n) * float64(n)}
		p.name, p.elem, p.params = name, elem, [][]int{{batch, n, n}, {batch, n, n}}
		p.build = func(x []builder.Value) builder.Value {
			return builder.DotGeneral(x[0], x[1], builder.DotOptions{
				Batch: [][2]int{{0, 0}}, Contract: [][2]int{{2, rows}}, Result: result})
		}
		list = append(list, p)
	}
	for n := 64; n <= 2048; n *= 2 {
		product(fmt.Sprint("product-", n), tensor.F32, tensor.F32, 1, n, false)
	}
	product("product-f64-512", tensor.F64, tensor.F64, 1, 512, false)
	product("product-bf16-512", tensor.BF16, tensor.BF16, 1, 512, false)
	product("product-s8-512", tensor.S8, tensor.S32, 1, 512, false)
	product("product-turned-512", tensor.F32, tensor.F32, 1, 512, true)
	product("products-64x64", tensor.F32, tensor.F32, 64, 64, false)
	for n := 128; n <= 4096; n *= 2 {
		p := roofProgram{flops: 4 * 8 * float64(n) * float64(n) * 64}
		p.name, p.params = fmt.Sprint("attention-", n), [][]int{{8, n, 64}, {8, n, 64}, {8, n, 64}}
		p.build = func(x []builder.Value) builder.Value {
			scores := builder.Mul(builder.Einsum("bqd,bkd->bqk", x[0], x[1]), 0.125)
			return builder.Einsum("bqk,bkd->bqd", nn.Softmax(scores, -1), x[2])
		}
		list = append(list, p)
	}
	convolution := roofProgram{flops: 2 * 8 * 56 * 56 * 64 * 64 * 9}
	convolution.name, convolution.params = "convolution-3x3", [][]int{{8, 56, 56, 64}, {3, 3, 64, 64}}
	convolution.build = func(x []builder.Value) builder.Value {
		return builder.Conv(x[0], x[1], builder.ConvOptions{Same: true})
	}
	list = append(list, convolution)
	const many = 1 << 24
	for _, p := range []struct {
		name  string
		count float64 // arrays of many elements that it reads and writes
		in    int
		build func(x []builder.Value) builder.Value
	}{
		{"add", 3, 2, func(x []builder.Value) builder.Value { return builder.Add(x[0], x[1]) }},
		{"exponential", 2, 1, func(x []builder.Value) builder.Value { return builder.Exp(x[0]) }},
		{"sum", 1, 1, func(x []builder.Value) builder.Value { return builder.ReduceSum(x[0], 0, 1) }},
		{"maximum-of-rows", 1, 1, func(x []builder.Value) builder.Value { return builder.ReduceMax(x[0], 1) }},
		{"sum-of-columns", 1, 1, func(x []builder.Value) builder.Value { return builder.ReduceSum(x[0], 0) }},
		{"softmax", 2, 1, func(x []builder.Value) builder.Value { return nn.Softmax(x[0], -1) }},
		{"transpose", 2, 1, func(x []builder.Value) builder.Value { return builder.Transpose(x[0], 1, 0) }},
	} {
		one := roofProgram{bytes: 4 * many * p.count}
		one.name, one.build = p.name, p.build
		for range p.in {
			one.params = append(one.params, []int{4096, many / 4096})
		}
		list = append(list, one)
	}
	return list
}

// roofsSuite measures how near programs that package jit compiles come to what the machine can do, beside XLA, and how
// compiles grow with a module.
func roofsSuite(ctx context.Context, s settings, r *report) (err error) {
	threads := runtime.GOMAXPROCS(0)
	roof := floor.MeasureRoof(threads, s.repeat)
	r.figure("roofs/registers/rate", roof.Flops/1e9, "GFLOP/s", nil)
	r.figure("roofs/copy/rate", roof.Bandwidth/1e9, "GB/s", nil)
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
	for _, p := range roofPrograms() {
		us, err := p.besideXLA(ctx, c, client, s, r)
		if err != nil {
			return fmt.Errorf("roofs/%s: %w", p.name, err)
		}
		name := "roofs/" + p.name
		if p.flops > 0 {
			r.figure(name+"/rate", p.flops/us/1e3, "GFLOP/s", nil)
			r.figure(name+"/of-roof", p.flops/us*1e6/roof.Flops, "x", nil)
		} else {
			r.figure(name+"/rate", p.bytes/us/1e3, "GB/s", nil)
			r.figure(name+"/of-roof", p.bytes/us*1e6/roof.Bandwidth, "x", nil)
		}
	}
	return growth(ctx, c, client, r)
}

// besideXLA prints the times of a run by both, and returns that of package jit in microseconds.
func (p roofProgram) besideXLA(
	ctx context.Context, c *mlir.Context, client *bridge.Client, s settings, r *report,
) (us float64, err error) {
	m, err := p.module(c)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	mine, err := jit.Compile(ctx, m, jit.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, mine.Close()) }()
	xla, err := client.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, xla.Close()) }()
	inputs, outputs := p.arrays(mine)
	got, err := inTurn(runsOf(ctx, mine, xla, inputs, outputs), s.repeat)
	if err != nil {
		return 0, err
	}
	r.figure("roofs/"+p.name+"/jit", got.of("jit").wall, "us", nil)
	r.figure("roofs/"+p.name+"/xla", got.of("xla").wall, "us", nil)
	r.figure("roofs/"+p.name+"/over-xla", got.over("jit", "xla"), "x", nil)
	return got.of("jit").wall, nil
}

// growth measures compiles of chains of operations that are not fused, of more and more of them.
func growth(ctx context.Context, c *mlir.Context, client *bridge.Client, r *report) error {
	for _, n := range []int{10, 100, 1000} {
		p := jitProgram{params: [][]int{{16, 16}}, build: func(x []builder.Value) builder.Value {
			y := x[0]
			for range n / 2 {
				y = builder.Tanh(builder.Dot(y, x[0]))
			}
			return y
		}}
		m, err := p.module(c)
		if err != nil {
			return err
		}
		name := "roofs/compile-" + strconv.Itoa(n)
		for _, on := range []struct {
			name string
			engine.Engine
		}{{"jit", jit.Engine()}, {"xla", client.Engine()}} {
			start := time.Now()
			e, err := on.Compile(ctx, passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
			if err != nil {
				return errors.Join(err, m.Close())
			}
			r.figure(name+"/"+on.name, time.Since(start).Seconds()*1e6, "us", nil)
			if err := e.Close(); err != nil {
				return errors.Join(err, m.Close())
			}
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	return nil
}
