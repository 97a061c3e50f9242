package faults

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
)

// manyRuns has more runs in flight than the program may have threads. Their contexts cannot
// end.
func manyRuns(s *scene) func(int) error {
	const runs, threads = 4000, 3000
	var gate atomic.Pointer[chan struct{}]
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		<-*gate.Load()
		return negate(f)
	})
	p := s.program(s.form(), healthy, large)
	var alone sync.Mutex
	return func(i int) error {
		alone.Lock()
		defer alone.Unlock()
		n, waiting := 200, patience/1000
		if i == 1 {
			n, waiting = runs, patience/30
			defer debug.SetMaxThreads(debug.SetMaxThreads(threads))
		}
		open := make(chan struct{})
		gate.Store(&open)
		time.AfterFunc(waiting, func() { close(open) }) // by then every run that can wait does so
		in, err := s.input(0, large, float32(i))
		if err != nil {
			return err
		}
		defer in.Close()
		s.expect(healthy, tally{Fired: int64(n), Delivered: int64(n), Called: int64(n)})
		errs := make([]error, n)
		var wait sync.WaitGroup
		for k := range errs {
			wait.Go(func() { errs[k] = s.runDetached(p, in, i) })
		}
		wait.Wait()
		return errors.Join(errs...)
	}
}

// runDetached is a run with a context that cannot end.
func (s *scene) runDetached(p *program, in *engine.Array, i int) error {
	out, err := p.Run(context.WithoutCancel(s.ctx), in)
	if err != nil {
		return err
	}
	return s.negated(i)(first(out))
}
