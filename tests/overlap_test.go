package tests

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// meeting is where calls wait for one another.
type meeting struct {
	limit time.Duration

	mu   sync.Mutex
	want int // so many
	here int
	all  chan struct{}
	late atomic.Bool // somebody did not come
}

func (m *meeting) reset(want int, limit time.Duration) {
	m.want, m.here, m.limit, m.all = want, 0, limit, make(chan struct{})
	m.late.Store(false)
}

// join waits until all are here, or until the limit.
func (m *meeting) join() {
	m.mu.Lock()
	if m.here++; m.here == m.want {
		close(m.all)
	}
	all := m.all
	m.mu.Unlock()
	select {
	case <-all:
	case <-time.After(m.limit):
		m.late.Store(true)
	}
}

// Deferred calls that do not depend on one another meet while they run, where the module
// was built to let them, and where preflight says so.
func TestOverlap(t *testing.T) {
	const registry = "overlap"
	// As many workers as calls: two processors have two.
	r, err := callbacks.NewRegistry(registry, callbacks.RegistryOptions{Workers: 16})
	check.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	var m meeting
	meet := func(c *callbacks.Frame) error {
		m.join()
		for i := range c.Results {
			copy(c.Results[i].Data, c.Args[i].Data)
		}
		return nil
	}
	check.NoError(t, r.Register("meet", meet, callbacks.Options{Dispatch: callbacks.Deferred}))
	type value = builder.Value
	cb := builder.Callback{Name: "meet", Registry: registry}
	runtimeCall := func(x value) value { return builder.RuntimeCall(x, x, cb) }
	ioCallback := func(x value) value { return builder.Passthrough(x, cb) }
	pureCall := func(x value) value { return builder.PureCall(x, x, cb) }
	few := func(n int, call func(value) value) func(x value) []value {
		return func(x value) []value {
			var out []value
			for i := range n {
				out = append(out, call(builder.Add(x, float32(i)+0.5)))
			}
			return out
		}
	}
	for _, test := range []struct {
		name  string
		size  int
		calls int
		build func(x value) []value
		// function has build in a function that main calls.
		function bool
		plain    bool   // they overlap without help
		never    bool   // and with it they do not
		says     string // what preflight says of them without help, "" for nothing
	}{
		{name: "two small", size: 4, calls: 2, build: few(2, runtimeCall),
			says: "arrays of up to 512 bytes in sequence"},
		{name: "two small in place", size: 4, calls: 2, build: few(2, ioCallback),
			says: "arrays of up to 512 bytes in sequence"},
		{name: "four small", size: 4, calls: 4, build: few(4, runtimeCall),
			says: "arrays of up to 512 bytes in sequence"},
		{name: "six small", size: 4, calls: 6, build: few(6, runtimeCall),
			says: "arrays of up to 512 bytes in sequence"},
		{name: "two pure", size: 4, calls: 2, build: few(2, pureCall), says: "arrays of up to 512 bytes in sequence"},
		{name: "two of the parameter", size: 4, calls: 2, build: func(x value) []value {
			return []value{runtimeCall(x), runtimeCall(x)}
		}, says: "arrays of up to 512 bytes in sequence"},
		{name: "two large", size: 256, calls: 2, build: few(2, runtimeCall),
			says: "up to 8 steps in sequence, and there are about 4"},
		{name: "five large in place", size: 256, calls: 5, build: few(5, ioCallback), plain: true},
		{name: "six large", size: 256, calls: 6, build: few(6, runtimeCall), says: "which then waits"},
		{name: "a chain", size: 256, calls: 2, never: true, build: func(x value) []value {
			return []value{runtimeCall(builder.Add(runtimeCall(x), 1))}
		}, says: "no other deferred call is independent of it"},
		{name: "alone", size: 256, calls: 2, never: true, build: few(1, runtimeCall),
			says: "no other deferred call is independent of it"},
		{name: "in a loop", size: 4, calls: 2, build: func(x value) []value {
			type state struct{ X, Y value }
			end := builder.Loop(x.Func().Constant(tensor.Scalar[int32](2)), state{x, x}, func(i value, s state) state {
				return state{runtimeCall(builder.Add(s.X, 1)), runtimeCall(builder.Add(s.Y, 2))}
			}, builder.LoopOptions{})
			return []value{end.X, end.Y}
		}, says: "arrays of up to 512 bytes in sequence"},
		{name: "in a branch", size: 4, calls: 2, build: func(x value) []value {
			type two struct{ X, Y value }
			end := builder.If(builder.Ge(builder.ReduceMax(x), 0), func() two {
				return two{runtimeCall(builder.Add(x, 1)), ioCallback(builder.Add(x, 2))}
			}, func() two { return two{x, x} })
			return []value{end.X, end.Y}
		}, says: "arrays of up to 512 bytes in sequence"},
		{name: "beside a loop", size: 4, calls: 2, build: func(x value) []value {
			end := builder.Loop(x.Func().Constant(tensor.Scalar[int32](1)), x, func(i, s value) value {
				return runtimeCall(builder.Add(s, 1))
			}, builder.LoopOptions{})
			return []value{end, runtimeCall(builder.Add(x, 2))}
		}, says: "arrays of up to 512 bytes in sequence"},
		{name: "in order", size: 256, calls: 2, never: true, build: func(x value) []value {
			ordered := builder.Callback{Name: "meet", Registry: registry, Effect: "order"}
			return []value{builder.RuntimeCall(x, builder.Add(x, 1), ordered),
				builder.RuntimeCall(x, builder.Add(x, 2), ordered)}
		}, says: "no other deferred call is independent of it"},
		{name: "in a function", size: 4, calls: 2, function: true, build: func(x value) []value {
			return []value{runtimeCall(builder.Add(x, 1)), runtimeCall(builder.Add(x, 2))}
		}, says: "arrays of up to 512 bytes in sequence"},
		{name: "one used again", size: 4, calls: 2, build: func(x value) []value {
			y := runtimeCall(builder.Add(x, 1))
			z := runtimeCall(builder.Add(x, 2))
			return []value{builder.Mul(builder.Passthrough(y, builder.Callback{Name: "nobody", Optional: true}), 2), z}
		}, says: "arrays of up to 512 bytes in sequence"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want [][]float32
			for _, help := range []bool{false, true} {
				b := builder.New(newContext(t), builder.Options{Overlap: help})
				vector := tensor.ShapeOf(tensor.F32, test.size)
				build := test.build
				if test.function {
					inner := b.Func("inner", vector)
					inner.Return(build(inner.Param(0))...)
					build = func(x value) []value { return inner.Call(x) }
				}
				f := b.Func("main", vector)
				f.Return(build(f.Param(0))...)
				module, err := b.Module()
				check.NoError(t, err)
				check.Report(t, preflight.Check(module, preflight.Options{}))
				waits := preflight.Waits(module, preflight.Options{})
				switch {
				case test.says != "" && (!help || test.never):
					if len(waits) == 0 || !strings.Contains(waits[0].String(), test.says) ||
						waits[0].Position.Line == 0 {
						t.Errorf("with help %v preflight says %v, want %q", help, waits, test.says)
					}
				case len(waits) > 0:
					t.Errorf("with help %v preflight says %v", help, waits)
				}
				overlap := test.plain || help && !test.never
				limit := 20 * time.Second // for what overlaps: more than a busy machine takes
				if !overlap {
					limit = 100 * time.Millisecond
				}
				m.reset(test.calls, limit)
				got := run(t, module, test.size)
				if m.late.Load() == overlap {
					t.Errorf("with help %v: they meet is %v, want %v\n%s", help, !m.late.Load(), overlap, module)
				}
				if help {
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("the results are others (-without +with):\n%s", d)
					}
				}
				want = got
			}
		})
	}
}

// run gives the results of a module of one vector 0, 1, 2 …
func run(t *testing.T, m *mlir.Module, n int) (results [][]float32) {
	t.Helper()
	e := compile(t, m)
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := e.Run(ctx, tensor.Vector(data...))
	check.NoError(t, err)
	return toFloats(t, out)
}

// Blocks in which nothing can overlap stay as they are, and so does one that has help.
func TestLetOverlapTwice(t *testing.T) {
	b := builder.New(newContext(t), builder.Options{Overlap: true})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 4))
	x := f.Param(0)
	cb := builder.Callback{Name: "f"}
	y := builder.If(builder.Gt(builder.ReduceMax(x), 0), func() builder.Value { return builder.RuntimeCall(x, x, cb) },
		func() builder.Value { return builder.Add(x, 1) })
	f.Return(builder.RuntimeCall(x, x, cb), y)
	m, err := b.Module()
	check.NoError(t, err)
	before, helped := m.String(), 0
	for call := range callop.Calls(m) {
		if call.Config.Callback == callop.OverlapCallback {
			helped++
			if block := call.Op.Block(); block.Parent().Name() != "func.func" {
				t.Errorf("the block of %s has one call, and help", block.Parent().Name())
			}
		}
	}
	if helped < 2 {
		t.Errorf("there are %d calls that help", helped)
	}
	if n, err := passes.LetOverlap(m); n != 0 || err != nil {
		t.Errorf("the second time %d blocks are helped, and the error is %v", n, err)
	}
	if d := cmp.Diff(before, m.String()); d != "" {
		t.Errorf("the second time (-before +after):\n%s", d)
	}
}
