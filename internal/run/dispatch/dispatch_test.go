package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// short is a limit that calls which never end run into.
const short = 100 * time.Millisecond

var errMine = errors.New("mine")

// bound is a slot of a registry of the test's own.
func bound(
	t testing.TB, form contract.Form, r callbacks.RegistryOptions, o callbacks.Options, fn callbacks.Func,
) (*callbacks.Registry, *dispatch.Slot) {
	t.Helper()
	registry, err := callbacks.NewRegistry(t.Name(), r)
	check.NoError(t, err)
	t.Cleanup(func() { _ = registry.Close() })
	check.NoError(t, registry.Register("f", fn, o))
	return registry, resolve(t, registry, form)
}

func resolve(t testing.TB, r *callbacks.Registry, form contract.Form) *dispatch.Slot {
	t.Helper()
	s, err := dispatch.Resolve(contract.Config{Form: form, Callback: "f", Registry: r.Name()})
	check.NoError(t, err)
	return s
}

// group is one of the test's own, whose barrier must find nothing left.
func group(t testing.TB) *dispatch.Group {
	g := dispatch.NewGroup(dispatch.GroupOptions{Name: t.Name()})
	t.Cleanup(g.Close)
	return g
}

func begin(t testing.TB, g *dispatch.Group, o dispatch.RunOptions) *dispatch.Run {
	r := new(dispatch.Run)
	g.Begin(context.Background(), r, o)
	t.Cleanup(r.End)
	return r
}

// call is a frame, and the run that it is of.
type call struct {
	*callbacks.Frame
	run *dispatch.Run
}

// frame is a call with one operand and, but in the observe form, one result, which is
// the operand in the passthrough form.
func frame(r *dispatch.Run, form contract.Form, data ...int32) call {
	f := &callbacks.Frame{Name: "f", Config: contract.Config{Form: form}, Device: 1, RunID: 5}
	f.Args = []tensor.View{tensor.Vector(data...)}
	switch form {
	case contract.Passthrough:
		f.Results = f.Args
	case contract.Call, contract.Pure:
		f.Results = []tensor.View{tensor.Vector(make([]int32, len(data))...)}
	}
	return call{f, r}
}

func invoke(s *dispatch.Slot, c call) error { return dispatchtest.Invoke(s, c.run, c.Frame) }

func start(s *dispatch.Slot, c call, done func(error)) (later bool, err error) {
	return dispatchtest.Begin(s, c.run, c.Frame, done)
}

func ints(t testing.TB, v tensor.View) []int32 {
	t.Helper()
	values, err := tensor.Slice[int32](v)
	check.NoError(t, err)
	return values
}

// double doubles operands into results.
func double(f *callbacks.Frame) error {
	in, err := tensor.Slice[int32](f.Args[0])
	if err != nil {
		return err
	}
	out, err := tensor.Slice[int32](f.Results[0])
	for i := range out {
		out[i] = 2 * in[i]
	}
	return err
}

// Each way gives the function what it needs, and brings the results back.
func TestDispatch(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		for _, form := range []contract.Form{contract.Call, contract.Passthrough} {
			t.Run(fmt.Sprint(way, "/", form), func(t *testing.T) {
				f := frame(nil, form, 1, 2, 3)
				original := &f.Args[0].Data[0]
				_, s := bound(t, form, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
					func(got *callbacks.Frame) error {
						check.Diff(t, "on the runtime's memory", way == callbacks.Inline,
							&got.Args[0].Data[0] == original)
						check.Diff(t, "device and run", []int64{1, 5}, []int64{int64(got.Device), got.RunID})
						check.NoError(t, got.Context().Err())
						return double(got)
					})
				check.Diff(t, "in place", way == callbacks.Inline, s.InPlace(nil))
				check.Diff(t, "deferred", way == callbacks.Deferred, s.Deferred())
				check.NoError(t, invoke(s, f))
				check.Diff(t, "results", []int32{2, 4, 6}, ints(t, f.Results[0]))
			})
		}
	}
}

// An error, a panic and the end of a goroutine leave the runtime's memory alone.
func TestDispatchErrors(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred} {
		for what, test := range map[string]struct {
			fn    func()
			check func(t *testing.T, err error)
		}{
			"error": {func() {}, func(t *testing.T, err error) {
				check.Diff(t, "the very error", true, check.As[*callbacks.CallError](t, err).Err == errMine)
			}},
			"panic": {func() { panic("oops") }, func(t *testing.T, err error) {
				p := check.As[*callbacks.PanicError](t, err)
				if !strings.Contains(string(p.Stack), "TestDispatchErrors") {
					t.Errorf("the stack does not show where it was:\n%s", p.Stack)
				}
			}},
			"goexit": {runtime.Goexit, func(t *testing.T, err error) {
				check.As[*callbacks.GoexitError](t, err)
				check.Text(t, err, `callbacks: callback "f" on device 1: the function called runtime.Goexit (testing.T.Fatal does): return an error instead`)
			}},
		} {
			t.Run(way.String()+"/"+what, func(t *testing.T) {
				_, s := bound(t, contract.Passthrough, callbacks.RegistryOptions{Workers: 1},
					callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
						check.NoError(t, double(f))
						test.fn()
						return errMine
					})
				for range 3 { // the worker is free again
					f := frame(nil, contract.Passthrough, 1)
					test.check(t, invoke(s, f))
					check.Diff(t, "memory", []int32{1}, ints(t, f.Args[0]))
				}
			})
		}
	}
}

// A function that does not end in time is left behind; what it writes then has no
// effect.
func TestTimeout(t *testing.T) {
	for what, test := range map[string]struct {
		registry callbacks.RegistryOptions
		options  callbacks.Options
	}{
		"of the callback": {callbacks.RegistryOptions{Timeout: time.Hour}, callbacks.Options{Timeout: short}},
		"of the registry": {callbacks.RegistryOptions{Timeout: short}, callbacks.Options{}},
		"deferred": {callbacks.RegistryOptions{},
			callbacks.Options{Timeout: short, Dispatch: callbacks.Deferred}},
	} {
		t.Run(what, func(t *testing.T) {
			leave, left := make(chan bool), make(chan bool)
			_, s := bound(t, contract.Call, test.registry, test.options, func(f *callbacks.Frame) error {
				<-f.Context().Done()
				check.Diff(t, "the context's end", context.DeadlineExceeded, f.Context().Err(), cmpErrors)
				<-leave
				defer close(left)
				return double(f)
			})
			f := frame(nil, contract.Call, 1)
			err := invoke(s, f)
			e := check.As[*callbacks.TimeoutError](t, err)
			check.Diff(t, "error", callbacks.TimeoutError{Limit: short}, *e)
			check.Diff(t, "is", true, errors.Is(err, context.DeadlineExceeded) &&
				errors.Is(err, os.ErrDeadlineExceeded) && e.Timeout())
			check.Text(t, err, `callbacks: callback "f" on device 1: the function did not return after 100ms`)
			close(leave)
			select {
			case <-left:
			case <-time.After(time.Minute):
				t.Fatal("the function was not called")
			}
			check.Diff(t, "memory", []int32{0}, ints(t, f.Results[0]))
		})
	}
}

// A function that ends with its context, and says something of its own, is as late as
// one that does not.
func TestErrorAfterTimeout(t *testing.T) {
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Timeout: time.Millisecond},
		func(f *callbacks.Frame) error {
			<-f.Context().Done()
			return f.Context().Err()
		})
	for range 50 {
		check.As[*callbacks.TimeoutError](t, invoke(s, frame(nil, contract.Call, 1)))
	}
}

// Waiting for a worker is bounded, too.
func TestTimeoutWaitingForWorker(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	registry, hog := bound(t, contract.Call, callbacks.RegistryOptions{Workers: 1},
		callbacks.Options{Dispatch: callbacks.Goroutine}, func(*callbacks.Frame) error {
			entered <- true
			<-leave
			return nil
		})
	called := false
	check.NoError(t, registry.Register("g", func(*callbacks.Frame) error { called = true; return nil },
		callbacks.Options{Timeout: short}))
	late, err := dispatch.Resolve(contract.Config{Form: contract.Call, Callback: "g", Registry: registry.Name()})
	check.NoError(t, err)
	done := make(chan error)
	go func() { done <- invoke(hog, frame(nil, contract.Call, 1)) }()
	<-entered
	err = invoke(late, call{&callbacks.Frame{Name: "g"}, nil})
	check.Diff(t, "waiting", "for a worker", check.As[*callbacks.TimeoutError](t, err).Waiting)
	check.Text(t, err, `callbacks: callback "g" on device 0: the call was still waiting for a worker after 100ms`)
	close(leave)
	check.NoError(t, <-done)
	check.Diff(t, "called", false, called)
}

// The end of the run ends the wait, with the context's error.
func TestCancel(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			run := begin(t, group(t), dispatch.RunOptions{})
			leave := make(chan bool)
			defer close(leave)
			_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
				func(*callbacks.Frame) error {
					run.Cancel()
					<-leave
					return nil
				})
			check.Diff(t, "error", true, invoke(s, frame(run, contract.Call, 1)) == context.Canceled)
			check.Diff(t, "the next call", true, invoke(s, frame(run, contract.Call, 1)) == context.Canceled)
		})
	}
}

// A callback whose run's callbacks need the worker that it holds.
func TestNestedNeedsNoWorker(t *testing.T) {
	g := group(t)
	var registry *callbacks.Registry
	var inner *dispatch.Slot
	registry, outer := bound(t, contract.Call, callbacks.RegistryOptions{Workers: 1},
		callbacks.Options{Dispatch: callbacks.Goroutine}, func(f *callbacks.Frame) error {
			var run dispatch.Run
			g.Begin(f.Context(), &run, dispatch.RunOptions{})
			defer run.End()
			return invoke(inner, frame(&run, contract.Call, 1))
		})
	calls := 0
	check.NoError(t, registry.Register("inner", func(*callbacks.Frame) error { calls++; return nil },
		callbacks.Options{Dispatch: callbacks.Goroutine}))
	inner, err := dispatch.Resolve(contract.Config{Form: contract.Call, Callback: "inner", Registry: registry.Name()})
	check.NoError(t, err)
	check.NoError(t, invoke(outer, frame(begin(t, g, dispatch.RunOptions{}), contract.Call, 1)))
	// Without the context the runtime says so.
	check.NoError(t, invoke(outer, frame(begin(t, g, dispatch.RunOptions{Nested: true}), contract.Call, 1)))
	check.Diff(t, "calls", 2, calls)
}

// No more functions run at once than there are workers, and all of them run.
func TestWorkers(t *testing.T) {
	const workers, calls = 3, 30
	var now, most, all atomic.Int32
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{Workers: workers},
		callbacks.Options{Dispatch: callbacks.Deferred}, func(*callbacks.Frame) error {
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			runtime.Gosched()
			all.Add(1)
			now.Add(-1)
			return nil
		})
	var wg sync.WaitGroup
	for range calls {
		wg.Add(1)
		later, err := start(s, frame(nil, contract.Call, 1), func(err error) {
			check.NoError(t, err)
			wg.Done()
		})
		check.Diff(t, "later", true, later)
		check.NoError(t, err)
	}
	wg.Wait()
	check.Diff(t, "calls", int32(calls), all.Load())
	if most.Load() > workers {
		t.Errorf("%d functions ran at once, with %d workers", most.Load(), workers)
	}
}

// Async calls keep the order of their device, and the queue never holds more than it
// may.
func TestAsync(t *testing.T) {
	const devices, calls = 3, 100
	g := group(t)
	var mu sync.Mutex
	saw := map[int][]int32{}
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{QueueBytes: 2000},
		callbacks.Options{Dispatch: callbacks.Async}, func(f *callbacks.Frame) error {
			v, err := tensor.Slice[int32](f.Args[0])
			mu.Lock()
			defer mu.Unlock()
			saw[f.Device] = append(saw[f.Device], v[0])
			return err
		})
	run := begin(t, g, dispatch.RunOptions{})
	var wg sync.WaitGroup
	for device := range devices {
		wg.Go(func() {
			for i := range int32(calls) {
				data := []int32{i}
				f := frame(run, contract.Observe, data...)
				f.Device = device
				check.NoError(t, invoke(s, f))
				f.Args[0].Data[0] = 0xff // the device goes on with its memory
			}
		})
	}
	wg.Wait()
	run.End()
	check.NoError(t, g.Barrier(t.Context(), "all"))
	want := make([]int32, calls)
	for i := range want {
		want[i] = int32(i)
	}
	for device := range devices {
		check.Diff(t, fmt.Sprint("device ", device), want, saw[device])
	}
}

// A full queue stops the device, until there is room or its time is up; a call that is
// larger than the queue goes alone.
func TestAsyncBackPressure(t *testing.T) {
	g := group(t)
	leave := make(chan bool)
	var sizes []int
	o := callbacks.Options{Dispatch: callbacks.Async, Timeout: 10 * time.Second}
	registry,
		s := bound(t, contract.Observe, callbacks.RegistryOptions{QueueBytes: 1200}, o, func(f *callbacks.Frame) error {
		<-leave
		sizes = append(sizes, len(f.Args[0].Data))
		return nil
	})
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	full := make(chan error)
	go func() { full <- invoke(s, frame(run, contract.Observe, make([]int32, 1000)...)) }()
	// The third call waits: it stays out as long as nothing leaves.
	for len(registry.Stats()) == 0 || registry.Stats()[0].InFlight < 2 {
		runtime.Gosched()
	}
	select {
	case <-full:
		t.Error("a full queue let a call in")
	case <-time.After(short):
	}
	leave <- true
	leave <- true
	check.NoError(t, <-full)
	leave <- true
	run.End()
	check.NoError(t, g.Barrier(t.Context(), "end"))
	check.Diff(t, "sizes", []int{4, 4, 4000}, sizes)
}

func TestAsyncQueueTimeout(t *testing.T) {
	g := group(t)
	leave := make(chan bool)
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{QueueBytes: 1, Logger: quiet},
		callbacks.Options{Dispatch: callbacks.Async, Timeout: short}, func(*callbacks.Frame) error {
			<-leave
			return nil
		})
	run := begin(t, g, dispatch.RunOptions{})
	for range 20 { // each waits for the one before, which takes as long
		check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	}
	close(leave)
	run.End()
	err := g.Barrier(t.Context(), "end")
	all := check.As[*callbacks.TapErrors](t, err)
	if all.Count == 0 {
		t.Error("no call timed out")
	}
	for _, e := range all.Errors {
		check.As[*callbacks.TimeoutError](t, e)
	}
}

// While a device waits for room, its run can be cancelled.
func TestAsyncCancelled(t *testing.T) {
	g := group(t)
	leave := make(chan bool)
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{QueueBytes: 1, Logger: quiet},
		callbacks.Options{Dispatch: callbacks.Async}, func(*callbacks.Frame) error {
			<-leave
			return nil
		})
	run := begin(t, g, dispatch.RunOptions{})
	check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	waiting := make(chan error)
	go func() { waiting <- invoke(s, frame(run, contract.Observe, 1)) }()
	run.Cancel()
	check.Diff(t, "error", true, <-waiting == context.Canceled)
	close(leave)
	run.End()
	check.NoError(t, g.Barrier(t.Context(), "end")) // the first was delivered all the same
}

func TestRefusedOptions(t *testing.T) {
	r := registry(t)
	fn := func(*callbacks.Frame) error { return nil }
	for want, o := range map[string]callbacks.Options{
		"Options.Dispatch is 9, which does not exist": {Dispatch: 9},
		"Options.Timeout is negative":                 {Timeout: -1},
		"Options.PerSecond is negative":               {PerSecond: -1},
		"cannot fail its run":                         {Dispatch: callbacks.Async, FailRun: true},
	} {
		check.Error(t, r.Register("f", fn, o), want)
	}
	for want, o := range map[string]callbacks.RegistryOptions{
		"RegistryOptions.Workers is negative":    {Workers: -1},
		"RegistryOptions.Timeout is negative":    {Timeout: -1},
		"RegistryOptions.QueueBytes is negative": {QueueBytes: -1},
		"RegistryOptions.Watch is negative":      {Watch: -1},
	} {
		if _, err := callbacks.NewRegistry("x", o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		check.Error(t, r.Configure(o), want)
	}
	check.NoError(t, r.Register("async", fn, callbacks.Options{Dispatch: callbacks.Async}))
	check.NoError(t, r.Register("rare", fn, callbacks.Options{PerSecond: 1}))
	for name, want := range map[string]string{"async": "use Deferred", "rare": "which needs results from every call"} {
		_, err := dispatch.Resolve(named(r, name))
		check.Error(t, err, want)
	}
}

func TestConfigure(t *testing.T) {
	r := registry(t)
	check.NoError(t,
		r.Register("f", func(f *callbacks.Frame) error { <-f.Context().Done(); return nil }, callbacks.Options{}))
	check.NoError(t, r.Configure(callbacks.RegistryOptions{Timeout: short}))
	check.As[*callbacks.TimeoutError](t, invoke(resolve(t, r, contract.Call), frame(nil, contract.Call, 1)))
}

func TestDispatchNames(t *testing.T) {
	var names []string
	for d := callbacks.Inline; d <= callbacks.Deferred+1; d++ {
		names = append(names, d.String())
	}
	check.Diff(t, "names", []string{"inline", "goroutine", "async", "deferred", "Dispatch(4)"}, names)
}

// Whether results are in the operands' memory is the runtime's to say, also to a copy.
func TestAliased(t *testing.T) {
	_, s := bound(t, contract.Passthrough, callbacks.RegistryOptions{},
		callbacks.Options{Dispatch: callbacks.Goroutine}, func(f *callbacks.Frame) error {
			check.Diff(t, "aliased", []bool{false, true, false, false},
				[]bool{f.Aliased(-1), f.Aliased(0), f.Aliased(1), f.Aliased(2)})
			return nil
		})
	f := frame(nil, contract.Passthrough, 1)
	access.FrameOf(f.Frame).Aliased = []bool{true, false}
	check.NoError(t, invoke(s, f))
	check.Diff(t, "unknown", false, frame(nil, contract.Call, 1).Aliased(0))
}

// Zero-sized and many operands, of odd sizes, each in memory of its own.
func TestCopies(t *testing.T) {
	f := frame(nil, contract.Call, 7)
	f.Args = []tensor.View{tensor.Vector[int8](1, 2, 3), tensor.Vector[float64](), tensor.Vector(complex(1, 2)),
		tensor.Scalar(true)}
	f.IDs = []tensor.View{tensor.Scalar(int32(9))}
	var want, got []string
	for _, v := range slices.Concat(f.Args, f.IDs) {
		want = append(want, v.String())
	}
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: callbacks.Goroutine},
		func(f *callbacks.Frame) error {
			for _, v := range slices.Concat(f.Args, f.IDs) {
				got = append(got, v.String())
				_ = append(v.Data, 0xff) // reaches nothing that is another's
			}
			_, err := tensor.Slice[complex128](f.Args[2])
			f.Args = nil // its own to do with what it likes
			return err
		})
	check.NoError(t, invoke(s, f))
	check.Diff(t, "operands", want, got)
}
