package gomlx

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// blocked starts an execution that calls Go and waits there. It returns the execution's result, and what lets it go on.
func blocked(
	t *testing.T, ctx context.Context, e compute.Executable, in compute.Buffer, gate *gate,
) (result chan error) {
	t.Helper()
	result = make(chan error, 1)
	go func() {
		out, err := e.(ContextExecutable).ExecuteContext(ctx, []compute.Buffer{in}, nil, 0)
		for _, o := range out {
			err = errors.Join(err, o.Finalize())
		}
		result <- err
	}()
	<-gate.entered
	return result
}

// gate is a Go function that says that it is called, and waits.
type gate struct{ entered, leave chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

func (g *gate) tap(context.Context, []float32) error {
	g.entered <- struct{}{}
	<-g.leave
	return nil
}

// tapped returns a computation that taps its parameter.
func tapped(t *testing.T, b *Backend, fn callbacks.Func) compute.Executable {
	t.Helper()
	return compiled(t, b, []shapes.Shape{shapes.Make(dtypes.Float32, 2)},
		func(f compute.Function, p []compute.Value) []compute.Value {
			testutil.Must(Tap([]compute.Value{p[0]}, fn))
			return []compute.Value{must(f.Neg(p[0]))}
		})
}

// TestFinalizeInFlight finalizes what an execution uses that is under way.
func TestFinalizeInFlight(t *testing.T) {
	tests := map[string]func(b *Backend, e compute.Executable, in compute.Buffer){
		"buffer":     func(_ *Backend, _ compute.Executable, in compute.Buffer) { testutil.Must(in.Finalize()) },
		"executable": func(_ *Backend, e compute.Executable, _ compute.Buffer) { e.Finalize() },
		"backend":    func(b *Backend, _ compute.Executable, _ compute.Buffer) { b.Finalize() },
		"all": func(b *Backend, e compute.Executable, in compute.Buffer) {
			testutil.Must(in.Finalize())
			e.Finalize()
			b.Finalize()
		},
	}
	for _, config := range []string{"", "interpreter"} {
		for name, finalize := range tests {
			t.Run(name+" "+config, func(t *testing.T) {
				b, gate := open(t, config), newGate()
				e := tapped(t, b, callbacks.Tap(gate.tap))
				in := testutil.Must1(b.BufferFromFlatData(0, []float32{1, 2}, shapes.Make(dtypes.Float32, 2)))
				result := blocked(t, t.Context(), e, in, gate)
				var wg sync.WaitGroup
				wg.Go(func() { finalize(b, e, in) })
				close(gate.leave)
				wg.Wait()
				// The backend may be finalized when the results are taken.
				if err := <-result; err != nil && !errors.Is(err, bridge.ErrClosed) {
					t.Error(err)
				}
			})
		}
	}
}

// TestContext ends executions by a context, of their own and of the backend.
func TestContext(t *testing.T) {
	b, gate := open(t, ""), newGate()
	type key struct{}
	var seen any
	e := tapped(t, b, callbacks.Tap(func(ctx context.Context, x []float32) error {
		seen = ctx.Value(key{})
		return gate.tap(ctx, x)
	}))
	in := testutil.Must1(b.BufferFromFlatData(0, []float32{1, 2}, shapes.Make(dtypes.Float32, 2)))
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "mine"))
	result := blocked(t, ctx, e, in, gate)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the execution returned %v", err)
	}
	gate.leave <- struct{}{}
	if seen != "mine" {
		t.Errorf("the function got the value %v of the context", seen)
	}
	b.SetContext(ctx)
	if _, err := e.Execute([]compute.Buffer{in}, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("with the backend's context, the execution returned %v", err)
	}
	b.SetContext(t.Context())
	close(gate.leave)
	go func() { <-gate.entered }()
	if _, err := e.Execute([]compute.Buffer{in}, nil, 0); err != nil {
		t.Error(err)
	}
}

// TestReleased holds when the functions of a computation are released: with its programs, or with a builder that is
// never compiled.
func TestReleased(t *testing.T) {
	b := open(t, "dynamic")
	registered := func() int { return len(b.session.Registry().List()) }
	before := registered()
	note := callbacks.Tap(func(context.Context, []float32) error { return nil })
	tap := func(f compute.Function, shape shapes.Shape) compute.Value {
		x := must(f.Parameter("x", shape, nil))
		testutil.Must(Tap([]compute.Value{x}, note))
		return x
	}
	for _, shape := range []shapes.Shape{shapes.Make(dtypes.Float32, 2), dynamic("n")} {
		builder := b.Builder("compiled")
		f := builder.Main()
		testutil.Must(f.Return([]compute.Value{tap(f, shape)}, nil))
		e := testutil.Must1(builder.Compile())
		if _, err := execute(b, e, []float32{1, 2}); err != nil {
			t.Error(err)
		}
		if n := registered() - before; n != 1 {
			t.Errorf("%s: %d functions are registered", shape, n)
		}
		e.Finalize()
		e.Finalize()
		if n := registered() - before; n != 0 {
			t.Errorf("%s: %d functions are registered after Finalize", shape, n)
		}
	}
	tap(b.Builder("forgotten").Main(), dynamic("n"))
	for end := time.Now().Add(10 * time.Second); registered() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the function of a forgotten builder is not released in 10 s")
		}
		runtime.GC()
	}
	kept := b.Builder("kept")
	tap(kept.Main(), dynamic("n"))
	b.Finalize()
	if n := registered() - before; n != 0 {
		t.Errorf("%d functions are registered after Finalize of the backend", n)
	}
	runtime.KeepAlive(kept)
}

var steps = flag.Int("steps", 2000, "of TestSteps")

// TestSteps trains a model in many steps, and holds that the memory of the process stays as it is.
func TestSteps(t *testing.T) {
	b := open(t, "dynamic")
	last := float32(0)
	note := callbacks.Tap(func(_ context.Context, loss float32) error { last = loss; return nil })
	e := compiled(t, b, []shapes.Shape{shapes.Make(dtypes.Float32, 64), dynamic("batch", 64), dynamic("batch")},
		func(f compute.Function, p []compute.Value) []compute.Value {
			w, x, y := p[0], p[1], p[2]
			off := must(f.Sub(must(f.DotGeneral(x, []int{1}, nil, w, []int{0}, nil, compute.DotGeneralConfig{})), y))
			testutil.Must(Tap([]compute.Value{must(f.ReduceSum(must(f.Mul(off, off))))}, note))
			slope := must(f.DotGeneral(off, []int{0}, nil, x, []int{0}, nil, compute.DotGeneralConfig{}))
			rate := must(f.Constant([]float32{1e-3}))
			return []compute.Value{must(f.Sub(w, must(f.Mul(slope, rate))))}
		})
	w := testutil.Must1(b.BufferFromFlatData(0, make([]float32, 64), shapes.Make(dtypes.Float32, 64)))
	var first float32
	var resident []int64
	for i := range *steps {
		n := 8 + i%2*8
		x, y := make([]float32, n*64), make([]float32, n)
		for k := range x {
			x[k] = float32((k*7919+i%3)%13)/13 - .5
		}
		for k := range y {
			y[k] = x[k*64]
		}
		in := []compute.Buffer{w,
			testutil.Must1(b.BufferFromFlatData(0, x, shapes.Make(dtypes.Float32, n, 64))),
			testutil.Must1(b.BufferFromFlatData(0, y, shapes.Make(dtypes.Float32, n)))}
		out, err := e.Execute(in, []bool{true, i%5 == 0, false}, 0)
		check.NoError(t, err)
		testutil.Must(in[1].Finalize())
		testutil.Must(in[2].Finalize())
		w = out[0]
		if i == 0 {
			first = last
		}
		if tenth := max(*steps/10, 1); (i+1)%tenth == 0 {
			n, err := child.Resident(os.Getpid())
			check.NoError(t, err)
			resident = append(resident, n>>10)
			t.Logf("%d steps: %d KiB, loss %g", i+1, n>>10, last)
		}
	}
	if !(last < first/10) {
		t.Errorf("the loss was %g and is %g", first, last)
	}
	if grown := resident[len(resident)-1] - resident[len(resident)/5]; grown > 16<<10 {
		t.Errorf("the process grew by %d KiB: %v", grown, resident)
	}
	if s := b.Stats(); s.Buffers != 1 || s.Runs != 0 {
		t.Errorf("at the end there are %d buffers and %d executions", s.Buffers, s.Runs)
	}
}

// TestSave saves a computation and runs it in another backend.
func TestSave(t *testing.T) {
	b := open(t, "dynamic")
	e := reversal(t, b, shapes.Make(dtypes.Float32, 3))
	data, err := Save(e)
	check.NoError(t, err)
	other := open(t, "")
	loaded, err := other.Load(data)
	check.NoError(t, err)
	defer loaded.Finalize()
	got, err := execute(other, loaded, []float32{1, 2, 3})
	if d := cmp.Diff([]any{[]float32{3, 2, 1}}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if names, _ := loaded.Inputs(); !cmp.Equal(names, []string{"x"}) || len(loaded.Outputs()) != 1 {
		t.Errorf("the parameters are %v and the results %v", names, loaded.Outputs())
	}
	_, err = other.Load(data[1:])
	holds(t, "damaged", err, "no bytes of Save")
	var lie saved
	check.NoError(t, gob.NewDecoder(bytes.NewReader(data)).Decode(&lie))
	lie.Devices = 1 << 60
	var lying bytes.Buffer
	check.NoError(t, gob.NewEncoder(&lying).Encode(lie))
	_, err = other.Load(lying.Bytes())
	holds(t, "devices that it does not have", err, "and not 1, 1 and 1152921504606846976")
	_, err = Save(tapped(t, b, callbacks.Tap(newGate().tap)))
	holds(t, "a Go function", err, "save")
	_, err = Save(compiled(t, b, []shapes.Shape{dynamic("n")},
		func(_ compute.Function, p []compute.Value) []compute.Value { return p }))
	holds(t, "dynamic axes", err, "dynamic axes")
}
