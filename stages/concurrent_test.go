package stages_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// While a callback of one run is under way, another run of the program executes its stages: the first run's callback
// returns only after the second run is over.
func TestPipelining(t *testing.T) {
	over := make(chan struct{})
	register(t, "first", func(f *callbacks.Frame) error {
		if in, _ := tensor.Slice[float32](f.Args[0]); in[0] == 2 {
			select {
			case <-over:
			case <-f.Context().Done():
				return f.Context().Err()
			}
		}
		return double(f)
	}, callbacks.Options{})
	register(t, "second", double, callbacks.Options{})
	client := devices(t, 2)
	m := build(t, 1, func(f *builder.Func) {
		x := builder.RuntimeCall(f.Param(0), builder.Add(f.Param(0), float32(1)), builder.Callback{Name: "first"})
		f.Return(builder.Neg(builder.RuntimeCall(x, builder.Mul(x, x), builder.Callback{Name: "second"})))
	})
	for _, devices := range [][]stages.Device{stages.On(client.Engine()), stages.On(client.Engine(), 0, 1), nil} {
		o := stages.Options{Devices: devices, Force: cutAll("first", "second")}
		if len(devices) > 1 {
			o.Place = after("first")
		}
		e, err := stages.Compile(t.Context(), m, o)
		check.NoError(t, err)
		over = make(chan struct{})
		var blocked []tensor.View
		var failed error
		var one sync.WaitGroup
		one.Go(func() { blocked, failed = e.Call(t.Context(), floats(1, 1, 1, 1)) })
		for i := range 3 {
			got, err := e.Call(t.Context(), floats(float32(2+i), 0, 0, 0))
			check.NoError(t, err)
			n := 2 * float32(3+i)
			check.Diff(t, "results", fmt.Sprint([]tensor.View{floats(-2*n*n, -8, -8, -8)}), fmt.Sprint(got))
		}
		close(over)
		one.Wait()
		check.NoError(t, failed)
		check.Diff(t, "results of the first run", "[f32[4] [-32 -32 -32 -32]]", fmt.Sprint(blocked))
		check.NoError(t, e.Close())
	}
}

// Stages that wait for different callbacks run at the same time: each callback returns only when the other one was
// called.
func TestIndependentCallbacks(t *testing.T) {
	var both sync.WaitGroup
	register(t, "meet", func(f *callbacks.Frame) error {
		both.Done()
		both.Wait()
		return double(f)
	}, callbacks.Options{})
	client := devices(t, 1)
	m := build(t, 1, func(f *builder.Func) {
		call := func(x builder.Value) builder.Value {
			return builder.Neg(builder.RuntimeCall(x, x, builder.Callback{Name: "meet"}))
		}
		f.Return(builder.Sub(call(f.Param(0)), call(builder.Neg(f.Param(0)))))
	})
	e, err := stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("meet")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	both.Add(2)
	got, err := e.Call(t.Context(), floats(1, 2, 3, 4))
	check.NoError(t, err)
	check.Diff(t, "results", "[f32[4] [-4 -8 -12 -16]]", fmt.Sprint(got))
}

// Many runs at once have their own values, also if others of them are cancelled or fail.
func TestManyRuns(t *testing.T) {
	register(t, "call", func(f *callbacks.Frame) error {
		in, _ := tensor.Slice[float32](f.Args[0])
		switch in[3] {
		case 30:
			return errCallback
		case 60:
			<-f.Context().Done()
			return f.Context().Err()
		}
		return double(f)
	}, callbacks.Options{})
	client := devices(t, 2)
	m := halves(t, "call")
	e, err := stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine(), 0, 1), Force: cutAll("call"), Place: after("call")})
	check.NoError(t, err)
	before := held(client)
	shared := put(t, client, 1)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			kind := i % 4
			// x is one more, and the callback gets 3x
			var in engine.Input = floats(float32(i), 0, 0, float32(kind*10-1))
			if kind == 3 {
				in = shared
			}
			if kind == 2 {
				time.AfterFunc(time.Millisecond, cancel)
			}
			out, err := e.Run(ctx, in)
			switch kind {
			case 1:
				check.Diff(t, "the callback's own error", true, errors.Is(err, errCallback))
				return
			case 2:
				check.Diff(t, "cancelled", true, errors.Is(err, context.Canceled))
				return
			}
			check.NoError(t, err)
			for _, b := range out {
				check.NoError(t, b.Close())
			}
		})
	}
	all.Wait()
	check.NoError(t, shared.Close())
	check.NoError(t, e.Close())
	checkHeld(t, before, client)

	// A context that has ended is an error before anything runs.
	e, err = stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine()), Force: cutAll("call")})
	check.NoError(t, err)
	check.Cleanup(t, e)
	ctx, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	_, err = e.Call(ctx, floats(1, 2, 3, 4))
	check.Diff(t, "deadline", true, errors.Is(err, context.DeadlineExceeded))
}
