package dispatch_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// unread is a call whose frame makes no sense.
type unread struct{ call dispatch.Call }

func (*unread) Read() error                    { return errMine }
func (*unread) Clear() error                   { return nil }
func (*unread) Finish(err error, _ bool) error { return err }
func (*unread) Defer() func(error)             { return nil }

// Calls that are not made are counted, too: where the frame cannot be read, and where
// another device's call has failed.
func TestStatsOfCallsNotMade(t *testing.T) {
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{}, func(*callbacks.Frame) error {
		t.Error("the function was called")
		return nil
	})
	var c unread
	c.call.Init("f", contract.Config{}, -1, &c)
	_, err := s.Do(&c.call, nil)
	check.Diff(t, "error", errMine, err, cmpErrors)
	run := begin(t, group(t), dispatch.RunOptions{Devices: 2})
	check.Diff(t, "the first failure", []bool{true, false}, []bool{run.Fail(errMine), run.Fail(errors.New("another"))})
	check.Diff(t, "kept", errMine, run.Err(), cmpErrors)
	for range 2 {
		f := frame(run, contract.Call, 1)
		f.Results[0].Data[0] = 7
		check.NoError(t, invoke(s, f))
		check.Diff(t, "cleared", []int32{0}, ints(t, f.Results[0]))
	}
	want := callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: 3, Dropped: 2, Failed: 1}
	check.Diff(t, "stats", []callbacks.Stat{want}, r.Stats())
}

// Whatever becomes of the calls, the numbers add up; those of call sites that are gone
// stay.
func TestStats(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			g := group(t)
			r, _ := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: quiet},
				callbacks.Options{Dispatch: way, Measure: true}, func(f *callbacks.Frame) error {
					switch f.Args[0].Data[0] % 4 {
					case 0:
						return errMine
					case 1:
						panic("oops")
					}
					return nil
				})
			run := begin(t, g, dispatch.RunOptions{})
			var wg sync.WaitGroup
			const goroutines, calls = 4, 160
			for range goroutines {
				wg.Go(func() {
					s, err := dispatch.Resolve(
						contract.Config{Form: contract.Observe, Callback: "f", Registry: r.Name(), Every: 2})
					check.NoError(t, err)
					defer s.Close()
					for i := range int32(calls) {
						check.NoError(t, invoke(s, frame(run, contract.Observe, i/2)))
					}
				})
			}
			wg.Wait()
			run.End()
			check.Diff(t, "errors", goroutines*calls/4,
				check.As[*callbacks.TapErrors](t, g.Barrier(t.Context(), "end")).Count)
			want := callbacks.Stat{
				Callback: "f", Registry: r.Name(), Fired: goroutines * calls, Delivered: goroutines * calls / 4,
				Dropped: goroutines * calls / 2, Failed: goroutines * calls / 4,
				Latency: callbacks.Latency{Count: goroutines * calls / 2},
			}
			list := r.Stats()
			check.Diff(t, "stats", []callbacks.Stat{want}, list,
				cmpopts.IgnoreFields(callbacks.Latency{}, "Total", "Max"))
			if l := list[0].Latency; l.Total <= 0 || l.Max <= 0 || l.Max > l.Total {
				t.Errorf("the latency is %+v", l)
			}
			found := false
			for _, s := range callbacks.Stats() {
				found = found || s == list[0]
			}
			check.Diff(t, "among those of all registries", true, found)
		})
	}
}

// Inline calls that are not measured are counted too; calls without a function are dropped,
// and costs no memory.
func TestStatsOfPlainCalls(t *testing.T) {
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{},
		func(f *callbacks.Frame) error { return nil })
	f := frame(nil, contract.Call, 1)
	for range 5 {
		check.NoError(t, invoke(s, f))
	}
	silent, err := dispatch.Resolve(
		contract.Config{Form: contract.Observe, Callback: "nobody", Registry: r.Name(), Optional: true})
	check.NoError(t, err)
	c := dispatchtest.New(frame(nil, contract.Observe, 1).Frame, -1)
	check.Diff(t, "allocations", 0.0, testing.AllocsPerRun(10, func() { check.NoError(t, c.Invoke(silent, nil)) }))
	check.Diff(t, "stats", []callbacks.Stat{
		{Callback: "f", Registry: r.Name(), Fired: 5, Delivered: 5},
		{Callback: "nobody", Registry: r.Name(), Fired: 11, Dropped: 11},
	}, r.Stats())
	elsewhere, err := dispatch.Resolve(
		contract.Config{Form: contract.Observe, Callback: "f", Registry: "no registry of that name", Optional: true})
	check.NoError(t, err)
	check.NoError(t, invoke(elsewhere, frame(nil, contract.Observe, 1)))
	elsewhere.Close()
	elsewhere.Close()
}

// The watchdog reports which calls are in flight, and where.
func TestWatchdog(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine} {
		t.Run(way.String(), func(t *testing.T) {
			log, stacks := make(chan string, 100), make(chan string, 100)
			o := callbacks.RegistryOptions{
				Watch: time.Millisecond, WatchTo: writer(func(text string) { stacks <- text }),
				Logger: slog.New(slog.NewTextHandler(writer(func(text string) { log <- text }), nil)),
			}
			r, s := bound(t, contract.Call, o, callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error {
				for _, text := range []string{<-log, <-stacks} {
					if !strings.Contains(text, `on device 1 in run 5 (`+way.String()+`): running for`) {
						t.Errorf("the watchdog says %s", text)
					}
					if strings.Contains(text, "goroutine ") != strings.Contains(text, "TestWatchdog") {
						t.Errorf("no stack:\n%s", text)
					}
				}
				var waiting []callbacks.InFlightCall
				for _, c := range callbacks.InFlight() {
					if c.Registry == t.Name() {
						waiting = append(waiting, c)
					}
				}
				check.Diff(t, "waiting", []callbacks.InFlightCall{
					{Callback: "f", Registry: t.Name(), Device: 1, RunID: 5, Dispatch: way, Running: true}},
					waiting, cmpopts.IgnoreFields(callbacks.InFlightCall{}, "Since"))
				return nil
			})
			check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
			for _, c := range callbacks.InFlight() {
				if c.Registry == r.Name() {
					t.Errorf("still %v", c)
				}
			}
		})
	}
}

// What waits for a worker says so.
func TestWaitingForWorker(t *testing.T) {
	leave := make(chan bool)
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{Workers: 1},
		callbacks.Options{Dispatch: callbacks.Deferred}, func(*callbacks.Frame) error { <-leave; return nil })
	done := make(chan error)
	for range 2 {
		later, err := start(s, frame(nil, contract.Call, 1), func(err error) { done <- err })
		check.Diff(t, "later", true, later && err == nil)
	}
	texts := map[string]bool{}
	for len(texts) < 2 {
		clear(texts)
		for _, c := range callbacks.InFlight() {
			if c.Registry == r.Name() {
				texts[fmt.Sprint(c.Running, strings.Contains(c.String(), "waiting for a worker"))] = true
			}
		}
	}
	check.Diff(t, "texts", map[string]bool{"true false": true, "false true": true}, texts)
	close(leave)
	check.NoError(t, <-done)
	check.NoError(t, <-done)
}

// writer makes a Writer of a function.
type writer func(string)

func (w writer) Write(p []byte) (int, error) {
	w(string(bytes.Clone(p)))
	return len(p), nil
}

var _ io.Writer = writer(nil)

// Each way of dispatch, on one operand of four floats, without other load.
func BenchmarkDispatch(b *testing.B) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async,
		callbacks.Deferred} {
		b.Run(way.String(), func(b *testing.B) {
			g := dispatch.NewGroup(dispatch.GroupOptions{})
			defer g.Close()
			_, s := bound(b, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way},
				func(*callbacks.Frame) error { return nil })
			f := frame(begin(b, g, dispatch.RunOptions{}), contract.Observe, 1, 2, 3, 4)
			b.ReportAllocs()
			for range b.N {
				if err := invoke(s, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One call at a time has a lane, which counts delivered calls and no others.
func TestLanes(t *testing.T) {
	var err error
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{},
		func(*callbacks.Frame) error { return err })
	for _, err = range []error{nil, errMine, nil} {
		lane := s.Lane(3)
		check.Diff(t, "lane", 3, lane)
		check.Diff(t, "while others have theirs", []int{4, 5, -1}, []int{s.Lane(3), s.Lane(3), s.Lane(3)})
		for _, lane := range []int{3, 4, 5, -1} {
			check.Diff(t, "error", err, dispatchtest.New(frame(nil, contract.Call, 1).Frame, lane).Invoke(s, nil),
				cmpErrors)
		}
	}
	check.Diff(t, "any hint", []int{7, 0, 1}, []int{s.Lane(-1), s.Lane(8), s.Lane(17)})
	check.Diff(t, "stats", []callbacks.Stat{{Callback: "f", Registry: r.Name(), Fired: 12, Delivered: 8, Failed: 4}},
		r.Stats())
}
