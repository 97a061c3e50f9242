package dispatch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Functions that never return leave their places to others, whichever way they were given
// up. They are counted until they return, and so many may not.
func TestLost(t *testing.T) {
	const (
		limit = 3
		begun = 250 * time.Millisecond // in which a function has begun, also on a busy machine
	)
	for what, test := range map[string]struct {
		options callbacks.Options
		form    contract.Form
		cancel  bool
	}{
		"goroutine timeout": {callbacks.Options{Timeout: begun}, contract.Call, false},
		"goroutine cancel":  {callbacks.Options{Dispatch: callbacks.Goroutine}, contract.Call, true},
		"deferred timeout":  {callbacks.Options{Dispatch: callbacks.Deferred, Timeout: begun}, contract.Call, false},
		"deferred cancel":   {callbacks.Options{Dispatch: callbacks.Deferred}, contract.Call, true},
		"async timeout":     {callbacks.Options{Dispatch: callbacks.Async, Timeout: begun}, contract.Observe, false},
	} {
		t.Run(what, func(t *testing.T) {
			leave := make(chan bool)
			var inside sync.WaitGroup
			registry, stuck := bound(t, test.form, callbacks.RegistryOptions{Workers: 1, LostLimit: limit,
				Logger: quiet}, test.options, func(*callbacks.Frame) error {
				defer inside.Done()
				<-leave
				return nil
			})
			check.NoError(t, registry.Register("healthy", double,
				callbacks.Options{Dispatch: callbacks.Goroutine, Timeout: 10 * time.Second}))
			healthy, err := dispatch.Resolve(
				contract.Config{Form: contract.Call, Callback: "healthy", Registry: registry.Name()})
			check.NoError(t, err)
			g := group(t)
			for n := range limit {
				f := frame(nil, contract.Call, 4)
				check.NoError(t, invoke(healthy, f))
				check.Diff(t, "result", []int32{8}, ints(t, f.Results[0]))
				inside.Add(1)
				run := begin(t, g, dispatch.RunOptions{})
				if test.cancel {
					time.AfterFunc(begun, run.Cancel)
				}
				err := invoke(stuck, frame(run, test.form, 1))
				run.End()
				if test.form == contract.Observe {
					err = g.Barrier(t.Context(), "stuck")
				}
				if test.cancel {
					check.Diff(t, "error", context.Canceled, err, cmpErrors)
				} else {
					check.As[*callbacks.TimeoutError](t, err)
				}
				check.Diff(t, "lost", n+1, registry.QueueState().Lost)
			}
			var lost *callbacks.LostError
			if err := invoke(healthy, frame(nil, contract.Call, 4)); !errors.As(err, &lost) {
				t.Fatalf("got %v, want a *LostError", err)
			}
			check.Diff(t, "error", callbacks.LostError{Registry: registry.Name(), Limit: limit,
				Callbacks: map[string]int{"f": limit}}, *lost)
			check.Text(t, lost, `callbacks: 3 functions have not returned after their calls were stopped, which reaches RegistryOptions.LostLimit: "f" (3): make them return when their context ends`)
			n := 0
			for _, c := range callbacks.InFlight() {
				if c.Registry == registry.Name() && c.Lost && strings.Contains(c.String(), "lost") {
					n++
				}
			}
			check.Diff(t, "listed", limit, n)
			check.NoError(t, g.Barrier(t.Context(), "no barrier waits for them"))
			close(leave)
			inside.Wait()
			for registry.QueueState().Lost > 0 {
				runtime.Gosched()
			}
			check.NoError(t, invoke(healthy, frame(nil, contract.Call, 4)))
			for _, s := range registry.Stats() {
				check.Diff(t, s.Callback+" in flight", []int64{0, 0, 0}, []int64{s.InFlight, s.Queued, s.Lost})
			}
		})
	}
}

// What a lost function writes, while later calls use copies, has no effect.
func TestLateWrites(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred} {
		for _, size := range []int{4, 100_000} {
			t.Run(fmt.Sprint(way, "/", size), func(t *testing.T) {
				leave := make(chan bool)
				var writers sync.WaitGroup
				_, s := bound(t, contract.Call, callbacks.RegistryOptions{},
					callbacks.Options{Dispatch: way, Timeout: 10 * time.Second}, func(f *callbacks.Frame) error {
						if f.Args[0].Data[0] != 99 {
							runtime.Gosched()
							return double(f)
						}
						writers.Add(1)
						defer writers.Done()
						for { // as a function that was given up might
							for _, list := range [][]tensor.View{f.Args, f.Results} {
								for i := range list[0].Data {
									list[0].Data[i] = 0xee
								}
							}
							select {
							case <-leave:
								return nil
							case <-time.After(100 * time.Microsecond):
							}
						}
					})
				data := make([]int32, size)
				want := make([]int32, size)
				for range 3 {
					run := begin(t, group(t), dispatch.RunOptions{})
					time.AfterFunc(short, run.Cancel)
					data[0] = 99
					check.Diff(t, "error", context.Canceled, invoke(s, frame(run, contract.Call, data...)), cmpErrors)
				}
				for i := range 50 {
					data[0], want[0] = int32(i%90), int32(i%90*2)
					f := frame(nil, contract.Call, data...)
					check.NoError(t, invoke(s, f))
					if got := ints(t, f.Results[0]); !slices.Equal(want, got) {
						t.Fatalf("call %d: the results begin with %v, want %v", i, got[:4], want[:4])
					}
				}
				close(leave)
				writers.Wait()
			})
		}
	}
}

// Results that a function leaves alone are zero, also where a call before it wrote some.
func TestCopiesAreClean(t *testing.T) {
	calls := 0
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: callbacks.Goroutine},
		func(f *callbacks.Frame) error {
			if calls++; calls%2 == 1 {
				return double(f)
			}
			return nil
		})
	for i := range 10 {
		f := frame(nil, contract.Call, 1, 2)
		check.NoError(t, invoke(s, f))
		want := []int32{2, 4}
		if i%2 == 1 {
			want = []int32{0, 0}
		}
		check.Diff(t, "result", want, ints(t, f.Results[0]))
	}
}

// A result that a function replaces is an error.
func TestReplacedResult(t *testing.T) {
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: callbacks.Goroutine},
		func(f *callbacks.Frame) error {
			if f.Args[0].Data[0] == 1 {
				f.Results = nil
			} else {
				f.Results[0] = f.Args[0]
			}
			return nil
		})
	for _, data := range []int32{1, 2} {
		err := invoke(s, frame(nil, contract.Call, data))
		check.Diff(t, "error", callbacks.ReplacedError{}, *check.As[*callbacks.ReplacedError](t, err))
	}
}

// The context of a call with a timeout is one like any other.
func TestTimeoutContext(t *testing.T) {
	type key struct{}
	var late context.Context
	_, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{Timeout: time.Hour},
		func(f *callbacks.Frame) error {
			ctx := f.Context()
			late = ctx
			at, ok := ctx.Deadline()
			if left := time.Until(at); !ok || left > time.Hour || left < time.Minute {
				t.Errorf("the deadline is %v away (%t)", left, ok)
			}
			check.Diff(t, "value", "mine", ctx.Value(key{}))
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			check.NoError(t, child.Err())
			return ctx.Err()
		})
	run := new(dispatch.Run)
	group(t).Begin(context.WithValue(t.Context(), key{}, "mine"), run, dispatch.RunOptions{})
	defer run.End()
	check.NoError(t, invoke(s, frame(run, contract.Call, 1)))
	<-late.Done() // the call is over
	check.Diff(t, "after the call", context.Canceled, late.Err(), cmpErrors)
}

// A log handler that blocks delays no calls and does not use unbounded memory.
func TestLogThatBlocks(t *testing.T) {
	release := make(chan bool)
	reader, writer := io.Pipe()
	written := make(chan string)
	go func() {
		<-release
		lines := bufio.NewScanner(reader)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "dropped") {
				written <- lines.Text()
			}
		}
	}()
	g := group(t)
	_, s := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: slog.New(slog.NewTextHandler(writer, nil))},
		callbacks.Options{}, func(*callbacks.Frame) error { return errMine })
	run := begin(t, g, dispatch.RunOptions{})
	const calls = 20_000
	for range calls {
		check.NoError(t, invoke(s, frame(run, contract.Observe, 1)))
	}
	run.End()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check.Diff(t, "count", calls, check.As[*callbacks.TapErrors](t, g.Barrier(ctx, "here")).Count)
	close(release)
	if line := <-written; !strings.Contains(line, "lines=") {
		t.Errorf("the log says %q, want how many lines were dropped", line)
	}
}

// Many callers, many registries, and limits that are reached all the time: each call is
// counted, and none is made twice.
func TestDispatchStress(t *testing.T) {
	const callers, calls = 8, 300
	ways := []callbacks.Dispatch{callbacks.Goroutine, callbacks.Deferred, callbacks.Async}
	for _, workers := range []int{1, 3} {
		for _, way := range ways {
			t.Run(fmt.Sprint(way, "/", workers), func(t *testing.T) {
				var made, over atomic.Int64
				form := contract.Passthrough
				o := callbacks.Options{Dispatch: way, Timeout: 2 * time.Millisecond}
				registry, s := bound(t, form, callbacks.RegistryOptions{Workers: workers, LostLimit: 1000,
					QueueBytes: 4096, Logger: quiet}, o, func(f *callbacks.Frame) error {
					n := made.Add(1)
					switch n % 8 {
					case 0:
						panic("oops")
					case 1:
						return errMine
					case 2:
						runtime.Goexit()
					case 3:
						<-f.Context().Done()
					case 4:
						time.Sleep(3 * time.Millisecond)
					}
					over.Add(1)
					return nil
				})
				g := group(t)
				var wg sync.WaitGroup
				for device := range callers {
					wg.Go(func() {
						for i := range calls {
							run := new(dispatch.Run)
							g.Begin(t.Context(), run, dispatch.RunOptions{})
							if i%7 == 0 {
								time.AfterFunc(time.Millisecond, run.Cancel)
							}
							f := frame(run, form, int32(i))
							f.Device = device
							done := make(chan error, 1)
							if later, err := start(s, f, func(err error) { done <- err }); later {
								<-done
							} else {
								_ = err // of many kinds, or none
							}
							run.End()
						}
					})
				}
				wg.Wait()
				_ = g.Barrier(t.Context(), "end") // the errors of async calls
				for registry.QueueState().Lost > 0 {
					time.Sleep(time.Millisecond)
				}
				stat := registry.Stats()[0]
				check.Diff(t, "fired", int64(callers*calls), stat.Fired)
				check.Diff(t, "left", []int64{0, 0, 0}, []int64{stat.InFlight, stat.Queued, stat.Lost})
				check.Diff(t, "state", callbacks.QueueState{Registry: registry.Name()}, registry.QueueState())
				if made.Load() > stat.Fired || stat.Delivered > over.Load() {
					t.Errorf("%d calls, of which %d were made and %d ended well, and %d count as delivered", stat.Fired,
						made.Load(), over.Load(), stat.Delivered)
				}
			})
		}
	}
}
