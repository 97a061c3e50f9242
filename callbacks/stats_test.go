package callbacks_test

import (
	"bytes"
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
	"github.com/calliope-mlir/calliope/internal/check"
)

// Calls that the runtime does not make are counted, too.
func TestStatsOfCallsNotMade(t *testing.T) {
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{}, func(*callbacks.Frame) error { return nil })
	s.NotMade(errMine)
	s.NotMade(nil)
	s.NotMade(nil)
	want := callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: 3, Dropped: 2, Failed: 1}
	check.Diff(t, "stats", []callbacks.Stat{want}, r.Stats())
}

// Whatever becomes of the calls, the numbers add up; those of call sites that are gone
// stay.
func TestStats(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred} {
		t.Run(way.String(), func(t *testing.T) {
			g := group(t)
			r, _ := bound(t, contract.Observe, callbacks.RegistryOptions{Logger: quiet}, callbacks.Options{Dispatch: way, Measure: true}, func(f *callbacks.Frame) error {
				switch f.Args[0].Data[0] % 4 {
				case 0:
					return errMine
				case 1:
					panic("oops")
				}
				return nil
			})
			run := begin(t, g, callbacks.RunOptions{})
			var wg sync.WaitGroup
			const goroutines, calls = 4, 160
			for range goroutines {
				wg.Go(func() {
					s, err := callbacks.Resolve(contract.Config{Form: contract.Observe, Callback: "f", Registry: r.Name(), Every: 2})
					check.NoError(t, err)
					defer s.Close()
					for i := range int32(calls) {
						if !s.Skip(run) {
							check.NoError(t, s.Invoke(frame(run, contract.Observe, i/2)))
						}
					}
				})
			}
			wg.Wait()
			run.End()
			check.Diff(t, "errors", goroutines*calls/4, wantAs[*callbacks.Error](t, g.Barrier(t.Context(), "end")).Count)
			want := callbacks.Stat{
				Callback: "f", Registry: r.Name(), Fired: goroutines * calls, Delivered: goroutines * calls / 4,
				Dropped: goroutines * calls / 2, Failed: goroutines * calls / 4, Latency: callbacks.Latency{Count: goroutines * calls / 2},
			}
			list := r.Stats()
			check.Diff(t, "stats", []callbacks.Stat{want}, list, cmpopts.IgnoreFields(callbacks.Latency{}, "Total", "Max"))
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

// Inline calls that nobody measures are counted too; what nobody listens to is dropped,
// and costs no memory.
func TestStatsOfPlainCalls(t *testing.T) {
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{}, func(f *callbacks.Frame) error { return nil })
	f := frame(nil, contract.Call, 1)
	for range 5 {
		check.NoError(t, s.Invoke(f))
	}
	silent, err := callbacks.Resolve(contract.Config{Form: contract.Observe, Callback: "nobody", Registry: r.Name(), Optional: true})
	check.NoError(t, err)
	check.Diff(t, "picky", []bool{false, true}, []bool{s.Picky(), silent.Picky()})
	check.Diff(t, "allocations", 0.0, testing.AllocsPerRun(10, func() {
		if !silent.Skip(nil) {
			t.Error("somebody listens")
		}
	}))
	check.Diff(t, "stats", []callbacks.Stat{
		{Callback: "f", Registry: r.Name(), Fired: 5, Delivered: 5},
		{Callback: "nobody", Registry: r.Name(), Fired: 11, Dropped: 11},
	}, r.Stats())
	elsewhere, err := callbacks.Resolve(contract.Config{Form: contract.Observe, Callback: "f", Registry: "no registry of that name", Optional: true})
	check.NoError(t, err)
	check.Diff(t, "skip", true, elsewhere.Skip(nil))
	elsewhere.Close()
	elsewhere.Close()
}

// At most so many calls in a second; the next second has its own.
func TestPerSecond(t *testing.T) {
	second := uint32(0)
	callbacks.SetSecond(t, func() uint32 { return second })
	r, s := bound(t, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{PerSecond: 3}, func(*callbacks.Frame) error { return nil })
	other := resolve(t, r, contract.Observe) // call sites share the allowance
	var made []int
	for second = range 4 {
		n := 0
		for range 5 * second {
			for _, s := range []*callbacks.Slot{s, other} {
				if !s.Skip(nil) {
					n++
				}
			}
		}
		made = append(made, n)
	}
	check.Diff(t, "made", []int{0, 3, 3, 3}, made)
	check.Diff(t, "dropped", int64(60-9), r.Stats()[0].Dropped)
	check.Diff(t, "picky", true, s.Picky())
}

// The watchdog says what is under way, and where.
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
				var waiting []callbacks.Underway
				for _, c := range callbacks.Waiting() {
					if c.Registry == t.Name() {
						waiting = append(waiting, c)
					}
				}
				check.Diff(t, "waiting", []callbacks.Underway{{Callback: "f", Registry: t.Name(), Device: 1, RunID: 5, Dispatch: way, Running: true}},
					waiting, cmpopts.IgnoreFields(callbacks.Underway{}, "Since"))
				return nil
			})
			check.NoError(t, s.Invoke(frame(nil, contract.Call, 1)))
			for _, c := range callbacks.Waiting() {
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
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{Workers: 1}, callbacks.Options{Dispatch: callbacks.Deferred}, func(*callbacks.Frame) error { <-leave; return nil })
	done := make(chan error)
	for range 2 {
		later, err := s.Begin(frame(nil, contract.Call, 1), func(err error) { done <- err })
		check.Diff(t, "later", true, later && err == nil)
	}
	texts := map[string]bool{}
	for len(texts) < 2 {
		clear(texts)
		for _, c := range callbacks.Waiting() {
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

// Each way of dispatch, on one operand of four floats, with nobody else about.
func BenchmarkDispatch(b *testing.B) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred} {
		b.Run(way.String(), func(b *testing.B) {
			g := callbacks.NewGroup(callbacks.GroupOptions{})
			defer g.Close()
			_, s := bound(b, contract.Observe, callbacks.RegistryOptions{}, callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error { return nil })
			f := frame(begin(b, g, callbacks.RunOptions{}), contract.Observe, 1, 2, 3, 4)
			b.ReportAllocs()
			for range b.N {
				if err := s.Invoke(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One call at a time has the claim of a lane, which counts delivered calls and no others.
func TestClaim(t *testing.T) {
	var err error
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{}, func(*callbacks.Frame) error { return err })
	mine, other := frame(nil, contract.Call, 1), frame(nil, contract.Call, 1)
	mine.SetClaimed()
	for _, err = range []error{nil, errMine, nil} {
		check.Diff(t, "claim", true, s.Claim(3))
		check.Diff(t, "while another has it", false, s.Claim(3))
		check.Diff(t, "error", err, s.Invoke(mine), cmpErrors)
		check.Diff(t, "another's error", err, s.Invoke(other), cmpErrors)
		s.Release(3, mine)
	}
	check.Diff(t, "a claim without a call", true, s.Claim(3))
	s.Release(3, mine)
	check.Diff(t, "stats", []callbacks.Stat{{Callback: "f", Registry: r.Name(), Fired: 6, Delivered: 4, Failed: 2}}, r.Stats())
}
