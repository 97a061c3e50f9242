package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

// A Fault is one thing that goes wrong.
type Fault struct {
	Name string
	Ways []callbacks.Dispatch // ways of dispatch in which it can happen

	// prepare compiles the programs. inject, which several goroutines call, injects the
	// fault for the i-th time, between calls that work. It returns an error if the outcome
	// is wrong.
	prepare func(s *scene) func(i int) error
}

// All holds every fault.
func All() []Fault {
	return slices.Concat(functionFaults(), bindingFaults(), runFaults(), deviceFaults(), frameFaults(), hostileFaults())
}

// Options say how a fault is injected.
type Options struct {
	Count      int           // number of injections; 0 means 6
	Goroutines int           // number of goroutines that inject at the same time; 0 means 8
	Limit      time.Duration // time after which the injections count as hanging; 0 means 5 minutes
}

func (o *Options) fill() {
	if o.Count == 0 {
		o.Count = 6
	}
	if o.Goroutines == 0 {
		o.Goroutines = 8
	}
	if o.Limit == 0 {
		o.Limit = 5 * time.Minute
	}
}

// Inject injects the fault, with its own client and registry. It returns an error if an
// outcome is wrong, or if calls were lost or made twice.
func (f Fault) Inject(ctx context.Context, p *bridge.Plugin, way callbacks.Dispatch, o Options) error {
	o.fill()
	return load.Within(o.Limit, func() error { return f.inject(ctx, p, way, o) })
}

func (f Fault) inject(ctx context.Context, p *bridge.Plugin, way callbacks.Dispatch, o Options) (err error) {
	s, err := newScene(ctx, p, way)
	if err != nil {
		return err
	}
	inject := f.prepare(s)
	if s.err != nil {
		return errors.Join(s.err, s.finish())
	}
	var next atomic.Int64
	var first atomic.Pointer[error]
	var wait sync.WaitGroup
	for range o.Goroutines {
		wait.Go(func() {
			for first.Load() == nil {
				i := int(next.Add(1))
				if i > o.Count {
					return
				}
				if err := inject(i); err != nil {
					err = fmt.Errorf("injection %d: %w", i, err)
					first.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wait.Wait()
	if e := first.Load(); e != nil {
		return errors.Join(*e, s.close()) // not all runs were made, so the counts mean nothing
	}
	return s.finish()
}
