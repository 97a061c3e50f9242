package cases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// open opens the engine that the first argument names, xla or jit.
func open() *calliope.Session {
	e := map[string]engine.Engine{"jit": jit.Engine()}[os.Args[1]]
	return must(calliope.Open(context.Background(), calliope.Options{Engine: e}))
}

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return v
}

// closeInFlight closes a function in the middle of a call, which ends as usual.
func closeInFlight() {
	within(time.Minute)
	called, more := make(chan struct{}, 40), make(chan struct{})
	f := calliope.FuncWith(func(x builder.Value) builder.Value {
		return builder.Loop(builder.Scalar(x.Func(), int32(40)), x, func(i, x builder.Value) builder.Value {
			return calliope.Passthrough(builder.Add(x, 1), func(context.Context,
				[]float32) error {
				called <- struct{}{}
				<-more
				return nil
			})
		}, builder.LoopOptions{})
	}, calliope.FuncOptions{Session: open()})
	done := make(chan []float32)
	go func() { done <- must(calliope.Call[[]float32](context.Background(), f, []float32{1, 2})) }()
	<-called
	closed := make(chan error)
	go func() { closed <- f.Close() }()
	time.Sleep(50 * time.Millisecond) // Close has begun
	close(more)
	fmt.Println(<-done, <-closed)
}

// endless calls a loop without an end, and then another function of the same session.
func endless() {
	within(time.Minute)
	s := must(calliope.Open(context.Background(), calliope.Options{Engine: map[string]engine.Engine{
		"jit": jit.Engine()}[os.Args[1]], Interruptible: true}))
	f := calliope.FuncWith(func(x builder.Value) builder.Value {
		return builder.While(x, func(n builder.Value) builder.Value { return builder.Ge(n, 0) },
			func(n builder.Value) builder.Value { return builder.Sub(1, n) }, builder.LoopOptions{})
	}, calliope.FuncOptions{Session: s})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := calliope.Call[int32](ctx, f, int32(1))
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	more := func(x builder.Value) builder.Value { return builder.Add(x, 1) }
	g := calliope.FuncWith(more, calliope.FuncOptions{Session: s})
	fmt.Println(must(calliope.Call[int32](context.Background(), g, int32(1))))
	fmt.Println(f.Close(), g.Close(), s.Close())
}

// load loads the module that the second argument names, and calls it.
func load() {
	within(time.Minute)
	f := must(calliope.Load(context.Background(), os.Args[2], calliope.FuncOptions{Session: open()}))
	fmt.Println(must(calliope.Call[int32](context.Background(), f, int32(3))))
}

// manyOperands compiles a call with as many operands and results as the second argument says.
func manyOperands() {
	within(time.Minute)
	n := must(strconv.Atoi(os.Args[2]))
	f := calliope.FuncWith(func(x []builder.Value) []builder.Value {
		return calliope.RuntimeCall(x, x, func(_ context.Context, a []tensor.View) ([]tensor.View, error) {
			return a, nil
		})
	}, calliope.FuncOptions{Session: open()})
	var x []tensor.View
	for i := range n {
		x = append(x, tensor.Scalar(float32(i)))
	}
	fmt.Println(len(must(calliope.Call[[]tensor.View](context.Background(), f, x))))
}

// recursiveRule differentiates a function whose rule calls the function itself.
func recursiveRule() {
	within(time.Minute)
	host := func(g func(float64) float64) func(builder.Value) builder.Value {
		return func(x builder.Value) builder.Value {
			return calliope.PureCall(x, x, func(_ context.Context, x float64) (float64, error) { return g(x), nil })
		}
	}
	var sin, cos func(builder.Value) builder.Value
	sin = builder.CustomJVP(host(math.Sin), func(x, dx builder.Value) (y, dy builder.Value) {
		return sin(x), builder.Mul(cos(x), dx)
	})
	cos = builder.CustomJVP(host(math.Cos), func(x, dx builder.Value) (y, dy builder.Value) {
		return cos(x), builder.Neg(builder.Mul(sin(x), dx))
	})
	f := calliope.Func(builder.Grad(sin))
	y, err := calliope.Call[float64](context.Background(), f, 1.0)
	fmt.Println(y == math.Cos(1), err)
}

// retry calls a function with a deadline that is shorter than its compile until it is compiled.
func retry() {
	within(time.Minute)
	f := calliope.FuncWith(func(x builder.Value) builder.Value {
		for range 150 {
			x = builder.Add(builder.Sin(x), builder.Reverse(x, 0))
		}
		return x
	}, calliope.FuncOptions{Session: open()})
	before, most := runtime.NumGoroutine(), 0
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		_, err := calliope.Call[[]float32](ctx, f, make([]float32, 10))
		cancel()
		most = max(most, runtime.NumGoroutine()-before)
		if err == nil {
			break
		}
	}
	fmt.Println(most < 10, f.Close())
}

// slowClosures makes functions whose closures take longer than they may, and closes them. Nothing of them stays.
func slowClosures() {
	within(time.Minute)
	s := open()
	x := make([]float32, 1<<18)
	heap := func() uint64 {
		time.Sleep(100 * time.Millisecond) // late closures end
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before uint64
	for i := range 41 {
		if i == 1 {
			before = heap()
		}
		slow := func(_ context.Context, v []float32) ([]float32, error) {
			time.Sleep(20 * time.Millisecond)
			return v, nil
		}
		f := calliope.FuncWith(func(x builder.Value) builder.Value {
			o := calliope.CallOptions{Timeout: time.Millisecond}
			return calliope.RuntimeCall(builder.Like(x.Shape()), x, slow, o)
		}, calliope.FuncOptions{Session: s})
		if _, err := calliope.Call[[]float32](context.Background(), f, x); err == nil {
			fmt.Println("no timeout")
		}
		must(0, f.Close())
	}
	fmt.Println(heap() < before+(8<<20)) // 40 functions with arrays of 2 MiB
}

// batchedBranch differentiates batches of branches that are singular where they are not taken.
func batchedBranch() {
	try := func(f func(x builder.Value) builder.Value) {
		fmt.Println(must(calliope.Call[[]float64](context.Background(), calliope.Func(f), []float64{0, -1, 4})))
	}
	safe := func(x builder.Value) builder.Value { // 0 for x <= 0
		return builder.If(builder.Gt(x, 0), func() builder.Value { return builder.Sqrt(x) },
			func() builder.Value { return builder.Mul(x, 0) })
	}
	loop := func(x builder.Value) builder.Value {
		return builder.Loop(builder.Scalar(x.Func(), int32(3)), x, func(_, c builder.Value) builder.Value {
			return builder.If(builder.Gt(c, 0), func() builder.Value { return builder.Sqrt(c) },
				func() builder.Value { return builder.Mul(c, 2) })
		}, builder.LoopOptions{})
	}
	for _, f := range []func(builder.Value) builder.Value{safe, loop} {
		try(builder.Batch(builder.Grad(f), builder.BatchOptions{}))
		try(builder.Grad(func(x builder.Value) builder.Value {
			return builder.ReduceSum(builder.Batch(f, builder.BatchOptions{})(x))
		}))
	}
}
