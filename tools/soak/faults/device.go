package faults

import (
	"context"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// deviceFaults are faults of several devices and of XLA's threads.
func deviceFaults() []Fault {
	return []Fault{
		{"all threads in callbacks", withResult, allThreads},
		{"failure before a collective", withResult, beforeCollective},
	}
}

// allThreads starts more runs than XLA has threads. All of their callbacks wait. Then it
// cancels the runs.
func allThreads(s *scene) (func(int) error, error) {
	const runs = 32
	err := s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		<-f.Context().Done()
		return f.Context().Err()
	})
	if err != nil {
		return nil, err
	}
	p, err := s.program(contract.Call, faulty, large)
	var alone sync.Mutex // XLA starts no run while a device has 32 in flight
	return func(i int) error {
		alone.Lock()
		defer alone.Unlock()
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		var list []*bridge.Run
		for k := range runs {
			in, err := s.input(k, large, float32(i))
			if err != nil {
				return err
			}
			run, err := p.Start(ctx, in)
			in.Close()
			if err != nil {
				return err
			}
			list = append(list, run)
		}
		cancel()
		s.expect(faulty, tally{Fired: runs, Failed: runs, Called: uncertain})
		for _, run := range list {
			<-run.Done()
			_, err := run.Wait(s.ctx)
			if err := is(context.Canceled)(err, i); err != nil {
				return err
			}
		}
		return nil
	}, err
}

// beforeCollective makes one device fail before all of them add up their results. XLA would
// wait for it and then end the process.
func beforeCollective(s *scene) (func(int) error, error) {
	err := s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		if err != nil {
			return err
		}
		if i := int(v[0]); f.Device == i%numDevices {
			switch v[1] {
			case 1:
				return &numbered{i}
			case 2:
				panic(&numbered{i})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	e, err := s.client.Compile(s.ctx, bridge.Source(summed(s.bound(faulty))),
		engine.CompileOptions{Replicas: numDevices})
	if err != nil {
		return nil, err
	}
	s.later(e.Close)
	return func(i int) error {
		kind := float32(i % 3)
		var inputs []engine.Input
		for range numDevices {
			inputs = append(inputs, tensor.Vector(float32(i), kind))
		}
		out, err := e.Run(s.ctx, inputs...)
		if kind > 0 {
			// The other devices call before the one that fails, or their calls are dropped.
			s.expect(faulty,
				tally{Fired: numDevices, Delivered: uncertain, Dropped: uncertain, Failed: 1, Called: uncertain})
			return isNumbered(err, i)
		}
		s.expect(faulty, tally{Fired: numDevices, Delivered: numDevices, Called: numDevices})
		if err != nil {
			return err
		}
		if got, err := first(out); err != nil || got != numDevices*float32(i) {
			return fmt.Errorf("got %g, %w; want %d", got, err, numDevices*i)
		}
		return nil
	}, nil
}
