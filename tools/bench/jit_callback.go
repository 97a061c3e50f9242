package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

const jitCallback = "bench-jit"

// measureCallback measures iterations of a loop with and without a call of Go, as package jit and as XLA compile them.
// The difference is what the call costs.
func measureCallback(ctx context.Context, c *mlir.Context, client *bridge.Client, s settings, r *report) (err error) {
	nothing := func(*callbacks.Frame) error { return nil }
	if err := callbacks.Default.Register(jitCallback, nothing, callbacks.Options{}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, callbacks.Default.Unregister(jitCallback)) }()
	config := strings.Replace(benchConfig, `"bench"`, fmt.Sprintf("%q", jitCallback), 1)
	var works []work
	for _, loop := range []struct{ name, body string }{
		{"", passthroughCall(contract.TargetIOCallback, config, "4xf32")},
		{"-none", "%y = stablehlo.negate %x : tensor<4xf32>"},
	} {
		text := loopModule(loop.body)
		m, err := c.Parse("loop", []byte(text))
		if err != nil {
			return err
		}
		defer m.Close()
		mine, err := jit.Compile(ctx, m, jit.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, mine.Close()) }()
		xla, err := client.Compile(ctx, bridge.Source(text), engine.CompileOptions{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, xla.Close()) }()
		start := tensor.Vector[float32](1, 2, 3, 4)
		works = append(works,
			work{name: "jit" + loop.name, nothing: true, do: func(n int) error {
				_, err := mine.Call(ctx, start, tensor.Scalar(int32(n)))
				return err
			}},
			work{name: "bridge" + loop.name, nothing: true, do: func(n int) error {
				return runStaged(ctx, xla, 1, borrowed([]tensor.View{start, tensor.Scalar(int32(n))})...)
			}})
	}
	got, err := inTurn(works, s.repeat)
	if err != nil {
		return err
	}
	got.report(r, "jit/callback/")
	r.figure("jit/callback/call", (got[0].wall-got[2].wall)/(got[1].wall-got[3].wall), "of bridge", atMost(1))
	return nil
}
