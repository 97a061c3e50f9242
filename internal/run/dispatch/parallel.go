package dispatch

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// A batch is a call with the key "parallel" while its elements are computed.
type batch struct {
	slot  *Slot
	fn    callbacks.Func
	run   *Run
	frame *callbacks.Frame
	parts contract.Parts

	next, delivered, failed atomic.Int64 // elements

	mu    sync.Mutex
	first int   // the first element that failed
	err   error // its error
}

// inParallel returns a function that calls fn for each element of a batch, on goroutines.
func (s *Slot) inParallel(fn callbacks.Func, run *Run) callbacks.Func {
	return func(f *callbacks.Frame) error {
		parts, err := f.Config.Divide(shapes(f.Args), shapes(f.Results))
		if err != nil {
			return err
		}
		b := &batch{slot: s, fn: fn, run: run, frame: f, parts: parts}
		if run != nil && run.caller != nil {
			b.work() // this goroutine makes all calls
		} else {
			b.spread()
		}
		return b.end()
	}
}

func shapes(views []tensor.View) []tensor.Shape {
	list := make([]tensor.Shape, len(views))
	for i, v := range views {
		list[i] = v.Shape
	}
	return list
}

// spread computes the elements on as many goroutines as the options allow.
func (b *batch) spread() {
	var working sync.WaitGroup
	for range min(cmp.Or(b.slot.parallel, runtime.GOMAXPROCS(0)), b.parts.Len()) {
		working.Go(func() { // it is done also if the function ends the goroutine
			defer b.run.leave(b.run.enter())
			if b.run.memory() != nil {
				defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			}
			b.work()
		})
	}
	working.Wait()
}

// work computes elements, in their order, until there are no more, one has failed, or the context has ended.
func (b *batch) work() {
	for b.failed.Load() == 0 && b.frame.Context().Err() == nil {
		i := int(b.next.Add(1)) - 1
		if i >= b.parts.Len() {
			return
		}
		b.element(i)
	}
}

func (b *batch) element(i int) {
	var err error = &callbacks.GoexitError{} // unless the function returns
	defer func() {
		if err == nil {
			b.delivered.Add(1)
			return
		}
		b.failed.Add(1)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.err == nil || i < b.first {
			b.first, b.err = i, err
			if err != b.frame.Context().Err() {
				b.err = fmt.Errorf("element %d of the batch: %w", i, err)
			}
		}
	}()
	f := *b.frame
	f.Config.Batching.Parallel = ""
	in, out := b.parts.Of(f.Args, f.Results, i)
	f.Args, f.Results = in, slices.Clone(out)
	if err = protectFrame(b.fn, &f); err == nil {
		err = inPlace(&f, out)
	}
}

// end counts the elements, of which the call counts one by its error, and returns that.
func (b *batch) end() error {
	counts, err := b.slot.counts, b.err
	delivered, failed := b.delivered.Load(), b.failed.Load()
	missing := int64(b.parts.Len()) - delivered - failed
	switch {
	case failed > 0:
		counts.failed.Add(failed - 1)
		counts.dropped.Add(missing)
	case missing > 0:
		err = expired{b.frame.Context().Err()}
		counts.expired.Add(missing - 1)
	default:
		delivered--
	}
	counts.delivered.Add(delivered)
	return err
}
