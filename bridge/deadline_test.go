package bridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// counting is a module that XLA executes on its caller's thread. It counts up to its
// operand, with work in each step that XLA cannot remove.
var counting = mainFunc("%n: tensor<i32>", "tensor<i32>", `
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0.5> : tensor<f32>
  %r:3 = stablehlo.while(%i = %zero, %m = %n, %x = %start) : tensor<i32>, tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.cosine %x : tensor<f32>
      stablehlo.return %j, %m, %y : tensor<i32>, tensor<i32>, tensor<f32>
    }
  %f = stablehlo.floor %r#2 : tensor<f32>
  %k = stablehlo.convert %f : (tensor<f32>) -> tensor<i32>
  %s = stablehlo.add %r#0, %k : tensor<i32>
  return %s : tensor<i32>`)

// countFor returns a count that takes at least the duration. It uses the shortest of
// several runs, because other programs make runs longer.
func countFor(t testing.TB, e *Executable, d time.Duration) tensor.View {
	t.Helper()
	for n := int32(10_000); ; n *= 4 {
		least := time.Duration(math.MaxInt64)
		for range 5 {
			begun := time.Now()
			out, err := e.Run(context.Background(), tensor.Scalar(n))
			check.NoError(t, err)
			out[0].Close()
			least = min(least, time.Since(begun))
		}
		if least > 20*time.Millisecond {
			return tensor.Scalar(int32(float64(n) * float64(d) / float64(least)))
		}
	}
}

// A wait ends with its context even if XLA executes within the call that starts the run. The
// abandoned run is freed when it is over, and does not block other runs.
func TestDeadlineOfSmallModule(t *testing.T) {
	c := testClient(t)
	e := compile(t, c, counting, engine.CompileOptions{})
	in := countFor(t, e, 1500*time.Millisecond)
	before := buffersAlive()
	for what, run := range map[string]func(context.Context) error{
		"Run":   func(ctx context.Context) error { _, err := e.Run(ctx, in); return err },
		"Start": func(ctx context.Context) error { _, err := e.Start(ctx, in); return err },
		"Run on the caller": func(ctx context.Context) error {
			_, err := e.Run(OnCaller(ctx), in)
			return err
		},
	} {
		ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
		begun := time.Now()
		is(t, what, context.DeadlineExceeded, run(ctx))
		stop()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("%s returned after %v", what, took)
		}
		if s := c.Stats(); s.Abandoned == 0 || s.Runs < s.Abandoned {
			t.Errorf("%s: no run is left behind: %+v", what, s)
		}
		out, err := e.Run(context.Background(), tensor.Scalar(int32(3)))
		check.NoError(t, err)
		check.Diff(t, what+": the next run", []int32{3}, host[int32](t, out[0]))
	}
	check.NoError(t, c.group.Wait(t.Context()))
	check.Diff(t, "buffers alive", before, buffersAlive())
	check.Diff(t, "bytes", int64(0), c.Stats().Bytes)
}

// Close returns after its drain timeout, and its error lists the runs that are left.
func TestCloseLeavesRun(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_FOREVER") != "" {
		closeLeavesRun(t)
		return
	}
	// A run that does not end uses a core.
	child := exec.Command(os.Args[0], "-test.run=^TestCloseLeavesRun$", "-test.timeout=60s")
	child.Env = append(os.Environ(), "CALLIOPE_TEST_FOREVER=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func closeLeavesRun(t *testing.T) {
	const typ = "tensor<1xf32>"
	forever := strings.Replace(mainFunc("%x: "+typ, typ, `
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<1xf32>
  %r = stablehlo.while(%s = %x) : tensor<1xf32>
    cond {
      %sum = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.multiply %s, %half : tensor<1xf32>
      stablehlo.return %n : tensor<1xf32>
    }
  return %r : tensor<1xf32>`), "module {", "module @forever {", 1)
	c, err := testPlugin(t).NewClient(ClientOptions{DrainTimeout: 200 * time.Millisecond})
	check.NoError(t, err)
	e, err := c.Compile(t.Context(), Source(forever), engine.CompileOptions{})
	check.NoError(t, err)
	ctx, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer stop()
	begun := time.Now()
	_, err = e.Run(ctx, view(t, []float32{1}, 1))
	is(t, "error", context.DeadlineExceeded, err)
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("Run returned after %v", took)
	}
	begun = time.Now()
	err = c.Close()
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("Close returned after %v", took)
	}
	var b *callbacks.BarrierError
	if !errors.As(err, &b) || !strings.Contains(err.Error(),
		`of executable "forever" on device 0 is left (it was abandoned: context deadline exceeded)`) {
		t.Errorf("got %v, want an error that names the run", err)
	}
}

// A run behaves the same whichever goroutine launches it.
func TestRunsWithAndWithoutDeadline(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<4xf32>"
	small := compile(t, c, mainFunc("%x: "+typ, typ, "%s = stablehlo.add %x, %x : "+typ+"\nreturn %s : "+typ),
		engine.CompileOptions{})
	const wide = "tensor<64x64xf32>"
	large := compile(t, c,
		mainFunc("%x: "+wide, wide, "%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+wide+", "+
			wide+") -> "+wide+"\nreturn %d : "+wide), engine.CompileOptions{})
	for range 3 { // the first runs set Executable.async
		for _, ctx := range []context.Context{context.Background(), t.Context()} {
			out, err := small.Run(ctx, view(t, []float32{1, 2, 3, 4}, 4))
			check.NoError(t, err)
			check.Diff(t, "small", []float32{2, 4, 6, 8}, host[float32](t, out[0]))
			if out, err = large.Run(ctx, bigInput(t)); err != nil {
				t.Fatal(err)
			}
			check.Diff(t, "large", float32(64), host[float32](t, out[0])[17])
		}
	}
	check.Diff(t, "small is asynchronous", false, small.async.Load())
}

// Any number of goroutines may run at once. Go ends a process with 10,000 threads.
func TestManyGoroutinesRun(t *testing.T) {
	goroutines := 12_000
	if check.Raced {
		goroutines = 6_000 // the race detector ends a process with more than 8128
	}
	const signature = "f32[64,64]->f32[64,64]"
	slow := func(*callbacks.Frame) error { time.Sleep(time.Millisecond); return nil }
	threads := pprof.Lookup("threadcreate")
	for what, test := range map[string]struct {
		module func(name string) string
		in     tensor.View
		fn     callbacks.Func
	}{
		"small": {func(name string) string { return passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>") },
			view(t, make([]float32, 4), 4), slow},
		"large": {func(name string) string { return bigPassthrough(name, signature) },
			view(t, make([]float32, 64*64), 64, 64), func(*callbacks.Frame) error { return nil }},
	} {
		t.Run(what, func(t *testing.T) {
			c := testClient(t)
			name := register(t, "", test.fn)
			e := compile(t, c, test.module(name), engine.CompileOptions{})
			in, err := c.ArrayFromHost(t.Context(), test.in, 0)
			check.NoError(t, err)
			defer in.Close()
			before := threads.Count()
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() {
					out, err := e.Run(context.Background(), in)
					if err != nil {
						t.Error(err)
						return
					}
					out[0].Close()
				})
			}
			wg.Wait()
			if made := threads.Count() - before; made > 500 {
				t.Errorf("%d goroutines made %d threads", goroutines, made)
			}
		})
	}
}

// A callback that ends the executing goroutine ends the wait. With a context that can end,
// that goroutine is a helper.
func TestGoexitInRun(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_GOEXIT") != "" {
		goexitInRun(t)
		return
	}
	// XLA keeps its locks.
	child := exec.Command(os.Args[0], "-test.run=^TestGoexitInRun$", "-test.timeout=60s")
	child.Env = append(os.Environ(), "CALLIOPE_TEST_GOEXIT=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func goexitInRun(t *testing.T) {
	c, err := testPlugin(t).NewClient(ClientOptions{})
	check.NoError(t, err)
	name := register(t, "", func(*callbacks.Frame) error { runtime.Goexit(); return nil })
	e, err := c.Compile(t.Context(), Source(passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>")),
		engine.CompileOptions{})
	check.NoError(t, err)
	_, err = e.Run(t.Context(), view(t, make([]float32, 4), 4))
	var failed *callbacks.CallError
	if !errors.As(err, &failed) || failed.Callback != name || !errors.As(err, new(*callbacks.GoexitError)) {
		t.Errorf("got %v, want a GoexitError of %q", err, name)
	}
	// With runtime tokens, the next run of the Sequence gets its turn.
	if c, err = testPlugin(t).NewClient(ClientOptions{}); err != nil {
		t.Fatal(err)
	}
	const typ, token = "tensor<4xf32>", "tensor<0xi1>"
	e, err = c.Compile(t.Context(), withTokens{Source(mainFunc("%x: "+typ+", %t: "+token, typ+", "+token,
		"%p = "+custom("passthrough", fmt.Sprintf("callback = %q", name), "%x", typ, typ)+"\nreturn %p, %t : "+typ+", "+
			token)), []string{"log"}}, engine.CompileOptions{})
	check.NoError(t, err)
	if _, err = e.Run(t.Context(), view(t, make([]float32, 4), 4)); !errors.As(err, new(*callbacks.GoexitError)) {
		t.Errorf("got %v, want a GoexitError", err)
	}
	_, starting := c.sequence.order.State()
	check.Diff(t, "the turn is taken", false, starting)
}
