package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

const elements = 8

// inParallel returns a call of a batch of elements 0 to 7, each with the number 10, and a slot for it.
func inParallel(
	t *testing.T, o callbacks.Options, fn func(f *callbacks.Frame, element int32) error,
) (*callbacks.Registry, *dispatch.Slot, call) {
	t.Helper()
	r, _ := bound(t, contract.Pure, callbacks.RegistryOptions{}, o, func(f *callbacks.Frame) error {
		return fn(f, ints(t, f.Args[0])[0])
	})
	config := contract.Config{Form: contract.Pure, Callback: "f", Registry: r.Name(),
		Batching: contract.Batching{Parallel: "*."}}
	s, err := dispatch.Resolve(config)
	check.NoError(t, err)
	c := frame(begin(t, group(t), dispatch.RunOptions{}), contract.Pure, 0, 1, 2, 3, 4, 5, 6, 7)
	c.Config, c.Args = config, append(c.Args, tensor.Scalar(int32(10)))
	return r, s, c
}

// TestParallel calls a function for each element, as an ordinary call, on as many goroutines as the options say: the
// first elements wait for each other.
func TestParallel(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		for _, limit := range []int{1, 3, elements, 100} {
			t.Run(fmt.Sprint(way, limit), func(t *testing.T) {
				atOnce := min(limit, elements)
				var running, most atomic.Int64
				all := make(chan struct{})
				r, s, c := inParallel(t, callbacks.Options{Dispatch: way, Parallel: limit},
					func(f *callbacks.Frame, element int32) error {
						n := running.Add(1)
						defer running.Add(-1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						if int(n) == atOnce && element < int32(atOnce) {
							close(all)
						}
						<-all
						check.Diff(t, "the call", "s32[] s32[] s32[] ", fmt.Sprintf("%s %s %s %s", f.Args[0].Shape,
							f.Args[1].Shape, f.Results[0].Shape, f.Config.Batching.Parallel))
						ints(t, f.Results[0])[0] = element * ints(t, f.Args[1])[0]
						return nil
					})
				check.NoError(t, invoke(s, c))
				check.Diff(t, "results", []int32{0, 10, 20, 30, 40, 50, 60, 70}, ints(t, c.Results[0]))
				check.Diff(t, "at once", int64(atOnce), most.Load())
				want := callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: elements, Delivered: elements}
				check.Diff(t, "stats", []callbacks.Stat{want}, r.Stats())
			})
		}
	}
}

// TestParallelErrors holds that the error of a call is that of the first element, whatever fails first.
func TestParallelErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		fail func() error
		want string
	}{
		{"an error", func() error { return errMine },
			`callbacks: callback "f" on device 1: element 1 of the batch: ` + errMine.Error()},
		{"a panic", func() error { panic("oops") }, "element 1 of the batch: the function panicked at "},
		{"runtime.Goexit", func() error { runtime.Goexit(); return nil },
			"element 1 of the batch: the function called runtime.Goexit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			later := make(chan struct{})
			r, s, c := inParallel(t, callbacks.Options{Parallel: 3}, func(_ *callbacks.Frame, element int32) error {
				switch element {
				case 1:
					<-later
					return test.fail()
				case 2:
					defer close(later)
					return errors.New("another")
				}
				<-later
				return nil
			})
			check.Error(t, invoke(s, c), test.want)
			stat := r.Stats()[0]
			check.Diff(t, "calls", int64(elements), stat.Fired)
			check.Diff(t, "failed", int64(2), stat.Failed)
			check.Diff(t, "others", int64(elements-2), stat.Delivered+stat.Dropped)
			if stat.Delivered == 0 || stat.Dropped == 0 {
				t.Errorf("%+v: element 0 was computed, and the last one is not after an error", stat)
			}
		})
	}
	t.Run("a replaced result", func(t *testing.T) {
		_, s, c := inParallel(t, callbacks.Options{}, func(f *callbacks.Frame, _ int32) error {
			f.Results[0] = tensor.Scalar(int32(1))
			return nil
		})
		check.Diff(t, "error", callbacks.ReplacedError{}, *check.As[*callbacks.ReplacedError](t, invoke(s, c)))
	})
	t.Run("other shapes", func(t *testing.T) {
		_, s, c := inParallel(t, callbacks.Options{}, func(*callbacks.Frame, int32) error { return nil })
		c.Results = []tensor.View{tensor.Vector(int32(0))}
		check.Error(t, invoke(s, c), "result 0 is s32[1], which lacks dimension 0 of the batch")
	})
}

// TestParallelContext holds that the context of the run reaches each element, and that no further ones begin when it
// has ended.
func TestParallelContext(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine} {
		t.Run(way.String(), func(t *testing.T) {
			var begun sync.WaitGroup
			begun.Add(2)
			r, s, c := inParallel(t, callbacks.Options{Dispatch: way, Parallel: 2},
				func(f *callbacks.Frame, element int32) error {
					if element < 2 {
						begun.Done()
					}
					<-f.Context().Done()
					return f.Context().Err()
				})
			go func() {
				begun.Wait()
				c.run.Cancel()
			}()
			check.Diff(t, "error", context.Canceled, invoke(s, c), cmpErrors)
			for r.QueueState().Lost > 0 {
				runtime.Gosched()
			}
			check.Diff(t, "calls", int64(elements), r.Stats()[0].Fired)
		})
	}
}

// TestParallelOnCaller holds that a run whose caller makes the calls has no other goroutines.
func TestParallelOnCaller(t *testing.T) {
	next := int32(0)
	r, s, c := inParallel(t, callbacks.Options{}, func(_ *callbacks.Frame, element int32) error {
		check.Diff(t, "element", next, element)
		next++
		return nil
	})
	caller, over := dispatch.NewCaller(), make(chan struct{})
	c.run = begin(t, group(t), dispatch.RunOptions{OnCaller: caller})
	go func() {
		defer close(over)
		check.NoError(t, invoke(s, c))
	}()
	caller.Serve(over)
	check.Diff(t, "calls", int64(elements), r.Stats()[0].Delivered)
}
