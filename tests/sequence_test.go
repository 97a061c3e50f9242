package tests

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// The tests here start runs on several devices, and hold the order of their callbacks
// against the order in which they were started.

// sized is the number of elements of the argument of an effectful program. XLA executes a
// small one on the thread that starts it, and a large one on its own threads.
var sized = map[string]int{"small": 4, "large": 1 << 12}

// effectful compiles a program that taps its argument once for each of the effects, between
// some work, and returns the argument doubled. Where an effect is "-", the tap has none.
func effectful(
	t *testing.T, client *bridge.Client, callback string, n int, o engine.CompileOptions, effects ...string,
) *bridge.Executable {
	t.Helper()
	b := builder.New(newContext(t), builder.Options{RuntimeTokens: true})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, n))
	x := f.Param(0)
	for _, effect := range effects {
		y := builder.Sin(x)
		if effect == "-" {
			x = builder.Add(x, builder.Mul(0,
				builder.RuntimeCall(builder.Like(tensor.ShapeOf(tensor.F32, n)), y, builder.Callback{Name: callback})))
			continue
		}
		builder.Tap(x, builder.Callback{Name: callback, Effect: effect})
	}
	f.Return(builder.Add(x, x))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), o)
	check.NoError(t, err)
	check.Cleanup(t, e)
	check.Diff(t, "inputs", []tensor.Shape{tensor.ShapeOf(tensor.F32, n)}, e.Inputs())
	check.Diff(t, "outputs", []tensor.Shape{tensor.ShapeOf(tensor.F32, n)}, e.Outputs())
	check.Diff(t, "number of outputs", 1, e.NumOutputs())
	return e
}

// numbered returns an array whose elements are a number, on a device.
func numbered(t *testing.T, client *bridge.Client, number, n, device int) *engine.Array {
	t.Helper()
	b, err := client.ArrayFromHost(t.Context(), tensor.Vector(slices.Repeat([]float32{float32(number)}, n)...), device)
	check.NoError(t, err)
	check.Cleanup(t, b)
	return b
}

// A sequenced value records the calls of its function, which takes longer the earlier the run.
type sequenced struct {
	name string
	mu   sync.Mutex
	seen []int
	most int // calls at once
	now  int
	fail func(number int) error // nil for none
}

func sequence(t *testing.T) *sequenced {
	t.Helper()
	r := &sequenced{name: t.Name()}
	check.NoError(t, callbacks.Default.Register(r.name, r.call, callbacks.Options{FailRun: true}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(r.name)) })
	return r
}

func (r *sequenced) call(f *callbacks.Frame) error {
	values, err := tensor.Slice[float32](f.Args[0])
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	if f.Device == 0 { // the other devices would be first
		time.Sleep(2 * time.Millisecond)
	}
	r.mu.Lock()
	r.now--
	r.seen = append(r.seen, int(values[0]))
	r.mu.Unlock()
	if r.fail != nil {
		return r.fail(int(values[0]))
	}
	return nil
}

// discard waits for runs and closes their outputs.
func discard(t *testing.T, runs ...*bridge.Run) {
	t.Helper()
	for _, r := range runs {
		out, err := r.Wait(t.Context())
		check.NoError(t, err)
		for _, b := range out {
			check.NoError(t, b.Close())
		}
	}
}

// The calls of an effect are in the order in which the runs were started, on 2 and 4 devices.
// Without an effect they are not, so the test can tell.
func TestSequence(t *testing.T) {
	const runs = 60
	for _, devices := range []int{2, 4} {
		for size, n := range sized {
			for _, ended := range []bool{false, true} { // whether the context can end
				t.Run(fmt.Sprint(devices, " ", size, " ", ended), func(t *testing.T) {
					client := newClient(t, devices)
					r := sequence(t)
					ctx := context.Background()
					if ended {
						ctx = t.Context()
					}
					start := func(e *bridge.Executable) {
						t.Helper()
						var list []*bridge.Run
						for i := range runs {
							run, err := e.Start(ctx, numbered(t, client, i, n, i%devices))
							check.NoError(t, err)
							list = append(list, run)
						}
						discard(t, list...)
					}
					start(effectful(t, client, r.name, n, engine.CompileOptions{}, "log"))
					want := make([]int, runs)
					for i := range want {
						want[i] = i
					}
					check.Diff(t, "order", want, r.seen)
					check.Diff(t, "calls at once", 1, r.most)
					if size == "small" {
						return // without tokens, each run is over when Start returns
					}
					unordered := effectful(t, client, r.name, n, engine.CompileOptions{}, "-")
					for range 10 {
						r.seen = nil
						if start(unordered); !slices.IsSorted(r.seen) || r.most > 1 {
							return
						}
					}
					t.Error("runs without an effect were always in order, so the test cannot tell")
				})
			}
		}
	}
}

// ascending reports whether the numbers of each kind, which is the number modulo n, ascend.
func ascending(numbers []int, n int) bool {
	last := map[int]int{}
	for _, number := range numbers {
		if before, has := last[number%n]; has && before > number {
			return false
		}
		last[number%n] = number
	}
	return true
}

// Each goroutine's runs are in its order: in one Sequence that they share, where no two calls
// are at once, and in a Sequence of its own.
func TestSequencesOfGoroutines(t *testing.T) {
	const goroutines, runs, devices = 4, 20, 4
	n := sized["large"]
	for _, shared := range []bool{true, false} {
		t.Run(fmt.Sprint("shared ", shared), func(t *testing.T) {
			client := newClient(t, devices)
			r := sequence(t)
			e := effectful(t, client, r.name, n, engine.CompileOptions{}, "log")
			var wg sync.WaitGroup
			for g := range goroutines {
				ctx := t.Context()
				if !shared {
					ctx = bridge.WithSequence(ctx, client.NewSequence())
				}
				var inputs []*engine.Array
				for i := range runs {
					inputs = append(inputs, numbered(t, client, i*goroutines+g, n, (i+g)%devices))
				}
				wg.Go(func() {
					var list []*bridge.Run
					for _, in := range inputs {
						run, err := e.Start(ctx, in)
						if err != nil {
							t.Error(err)
							return
						}
						list = append(list, run)
					}
					discard(t, list...)
				})
			}
			wg.Wait()
			check.Diff(t, "calls", goroutines*runs, len(r.seen))
			check.Diff(t, "each goroutine's order", true, ascending(r.seen, goroutines))
			if shared {
				check.Diff(t, "calls at once", 1, r.most)
			}
		})
	}
}

// Effects are independent of each other: only the runs that have the same one are in order.
func TestSequencePerEffect(t *testing.T) {
	const runs, devices = 40, 2
	n := sized["large"]
	client := newClient(t, devices)
	r := sequence(t)
	a := effectful(t, client, r.name, n, engine.CompileOptions{}, "a")
	b := effectful(t, client, r.name, n, engine.CompileOptions{}, "b")
	both := effectful(t, client, r.name, n, engine.CompileOptions{}, "a", "b")
	overlapped := false
	for range 10 {
		r.seen, r.most = nil, 0
		var list []*bridge.Run
		for i := range runs {
			e, kind := a, 0 // a on device 0, which is slow, and b on device 1
			if i%2 == 1 {
				e, kind = b, 1
			}
			run, err := e.Start(t.Context(), numbered(t, client, i, n, kind))
			check.NoError(t, err)
			list = append(list, run)
		}
		run, err := both.Start(t.Context(), numbered(t, client, runs, n, 0))
		check.NoError(t, err)
		last, err := a.Start(t.Context(), numbered(t, client, runs+1, n, 1))
		check.NoError(t, err)
		discard(t, append(list, run, last)...)
		check.Diff(t, "each effect's order", true, ascending(r.seen[:runs], 2))
		check.Diff(t, "the run with both, and the one after it", []int{runs, runs, runs + 1}, r.seen[runs:])
		overlapped = overlapped || !slices.IsSorted(r.seen)
		if overlapped {
			return
		}
	}
	t.Error("runs with different effects were always in order")
}

// Runs on one device and on several are in order.
func TestSequenceOfReplicas(t *testing.T) {
	const turns, devices = 12, 4
	for size, n := range sized {
		t.Run(size, func(t *testing.T) {
			client := newClient(t, devices)
			r := sequence(t)
			one := effectful(t, client, r.name, n, engine.CompileOptions{}, "log")
			several := effectful(t, client, r.name, n, engine.CompileOptions{Replicas: 2}, "log")
			var list []*bridge.Run
			var want []int
			for i := range turns {
				first, err := one.Start(t.Context(), numbered(t, client, 3*i, n, 3*(i%2)))
				check.NoError(t, err)
				second, err := several.Start(t.Context(), numbered(t, client, 3*i+1, n, 0),
					numbered(t, client, 3*i+1, n, 1))
				check.NoError(t, err)
				third, err := several.Start(t.Context(), numbered(t, client, 3*i+2, n, 0),
					numbered(t, client, 3*i+2, n, 1))
				check.NoError(t, err)
				list = append(list, first, second, third)
				want = append(want, 3*i, 3*i+1, 3*i+1, 3*i+2, 3*i+2)
			}
			discard(t, list...)
			check.Diff(t, "order", want, r.seen)
		})
	}
}

// A failed run fails the runs that wait for it, and no later ones. The barriers have its
// error once.
func TestSequenceAfterFailure(t *testing.T) {
	errBroken := errors.New("broken")
	for size, n := range sized {
		t.Run(size, func(t *testing.T) {
			client := newClient(t, 2)
			r := sequence(t)
			leave := make(chan struct{})
			r.fail = func(number int) error {
				if number != 1 {
					return nil
				}
				if size == "large" { // Start of a small one returns after its end
					<-leave
				}
				return errBroken
			}
			e := effectful(t, client, r.name, n, engine.CompileOptions{}, "log")
			for _, all := range []bool{true, false} {
				var list []*bridge.Run
				for i := range 4 {
					run, err := e.Start(t.Context(), numbered(t, client, i, n, i%2))
					check.NoError(t, err)
					list = append(list, run)
				}
				if size == "large" {
					leave <- struct{}{}
				}
				for i, run := range list {
					out, err := run.Wait(t.Context())
					_, skipped := errors.AsType[*engine.SequenceError](err)
					failed := i == 1 || i > 1 && size == "large"
					if errors.Is(err, errBroken) != failed || skipped != (failed && i > 1) {
						t.Errorf("run %d returned %v", i, err)
					}
					for _, b := range out {
						check.NoError(t, b.Close())
					}
				}
				later, err := e.Start(t.Context(), numbered(t, client, 9, n, 0))
				check.NoError(t, err)
				discard(t, later)
				if all {
					check.Diff(t, "barrier", true, errors.Is(client.Barrier(t.Context(), "all"), errBroken))
				} else {
					check.Diff(t, "barrier of device 1", true,
						errors.Is(client.BarrierDevice(t.Context(), 1, "one"), errBroken))
					err := client.BarrierDevice(t.Context(), 0, "one")
					_, skipped := errors.AsType[*engine.SequenceError](err)
					check.Diff(t, "barrier of device 0", size == "large", skipped)
				}
				check.NoError(t, client.Barrier(t.Context(), "again"))
			}
			want := []int{0, 1, 9, 0, 1, 9}
			if size == "small" {
				want = []int{0, 1, 2, 3, 9, 0, 1, 2, 3, 9}
			}
			check.Diff(t, "calls", want, r.seen)
		})
	}
}

// A run with a callback of builder.AllEffects follows all runs with effects that were started
// before it, and those that are started after it follow it.
func TestSequenceOfAllEffects(t *testing.T) {
	const turns, devices = 10, 4
	n := sized["large"]
	client := newClient(t, devices)
	r := sequence(t)
	a := effectful(t, client, r.name, n, engine.CompileOptions{}, "a")
	b := effectful(t, client, r.name, n, engine.CompileOptions{}, "b")
	all := effectful(t, client, r.name, n, engine.CompileOptions{}, builder.AllEffects)
	several := effectful(t, client, r.name, n, engine.CompileOptions{Replicas: 2}, builder.AllEffects, "c")
	var list []*bridge.Run
	start := func(e *bridge.Executable, number int, devices ...int) {
		t.Helper()
		var inputs []engine.Input
		for _, device := range devices {
			inputs = append(inputs, numbered(t, client, number, n, device))
		}
		run, err := e.Start(t.Context(), inputs...)
		check.NoError(t, err)
		list = append(list, run)
	}
	var want []int
	for range turns { // device 0 is slow
		start(a, 0, 0)
		start(b, 0, 2)
		start(all, 1, 3)
		start(a, 2, 1)
		start(b, 2, 0)
		start(several, 3, 0, 1)
		want = append(want, 0, 0, 1, 2, 2, 3, 3, 3, 3)
	}
	discard(t, list...)
	check.Diff(t, "order", want, r.seen)
}

// Callbacks without operands, in programs without arguments and results, work ordered and
// unordered.
func TestSequenceOfNothing(t *testing.T) {
	for _, effect := range []string{"-", "", "log", builder.AllEffects} {
		t.Run(effect, func(t *testing.T) {
			client := newClient(t, 2)
			var mu sync.Mutex
			var seen []string
			note := func(kind string) callbacks.Func {
				return func(f *callbacks.Frame) error {
					mu.Lock()
					defer mu.Unlock()
					if len(f.Args) > 0 {
						return errors.New("the call has operands")
					}
					seen = append(seen, kind)
					return nil
				}
			}
			for _, kind := range []string{"tap", "io", "call"} {
				check.NoError(t,
					callbacks.Default.Register(t.Name()+kind, note(kind), callbacks.Options{FailRun: true}))
				defer callbacks.Default.Unregister(t.Name() + kind)
			}
			b := builder.New(newContext(t), builder.Options{RuntimeTokens: effect != "-"})
			g := b.Func("g")
			f := b.Func("main")
			cb := func(kind string, in *builder.Func) builder.Callback {
				c := builder.Callback{Name: t.Name() + kind, In: in}
				if effect != "-" {
					c.Effect = effect
				}
				return c
			}
			builder.Tap([]builder.Value{}, cb("tap", g))
			g.Return()
			builder.RuntimeCall(builder.Like(tensor.ShapeOf(tensor.F32, 1)), []builder.Value{}, cb("call", f))
			g.Call()
			builder.Passthrough([]builder.Value{}, cb("io", f))
			builder.RuntimeCall([]builder.Value{}, []builder.Value{}, cb("call", f))
			f.Return()
			m, err := b.Module()
			check.NoError(t, err)
			check.Cleanup(t, m)
			e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
			check.NoError(t, err)
			check.Cleanup(t, e)
			check.Diff(t, "outputs", 0, e.NumOutputs())
			const runs = 5
			var list []*bridge.Run
			for range runs {
				run, err := e.Start(t.Context())
				check.NoError(t, err)
				list = append(list, run)
			}
			discard(t, list...)
			want := slices.Repeat([]string{"call", "tap", "io", "call"}, runs)
			if effect == "-" || effect == "" { // only taps are ordered without an effect
				slices.Sort(want)
				slices.Sort(seen)
			}
			check.Diff(t, "calls", want, seen)
			check.NoError(t, client.Barrier(t.Context(), "end"))
		})
	}
}

// Random programs that run on random devices of 1 to 8 call in the order of an interpreter that
// executes one run after another.
func TestSequenceOfRandomRuns(t *testing.T) {
	const runs = 60
	n := sized["large"]
	programs := [][]string{{"a"}, {"b"}, {"a", "b", "a"}, {"b", "c"}, {builder.AllEffects},
		{"c", builder.AllEffects, "a"}}
	for _, devices := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			client := newClient(t, devices)
			got := &evaluator{taps: map[string][]string{}}
			var mu sync.Mutex
			tap := func(f *callbacks.Frame) error {
				if f.Device%2 == 0 {
					time.Sleep(200 * time.Microsecond)
				}
				mu.Lock()
				defer mu.Unlock()
				got.tap(f.Config.Effect, int32(f.Args[0].At(0).(float32)), 0)
				return nil
			}
			check.NoError(t, callbacks.Default.Register(t.Name(), tap, callbacks.Options{FailRun: true}))
			defer callbacks.Default.Unregister(t.Name())
			var executables []*bridge.Executable
			for _, effects := range programs {
				executables = append(executables,
					effectful(t, client, t.Name(), n, engine.CompileOptions{}, effects...))
			}
			want := &evaluator{taps: map[string][]string{}}
			random := rand.New(rand.NewPCG(uint64(devices), 2))
			var list []*bridge.Run
			for i := range runs {
				k := random.IntN(len(programs))
				run, err := executables[k].Start(t.Context(), numbered(t, client, i, n, random.IntN(devices)))
				check.NoError(t, err)
				list = append(list, run)
				for _, effect := range programs[k] {
					want.tap(effect, int32(i), 0)
				}
			}
			discard(t, list...)
			check.Diff(t, "calls", want.taps, got.taps)
		})
	}
}
