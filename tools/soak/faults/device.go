package faults

import (
	"context"
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
func allThreads(s *scene) func(int) error {
	const runs = 32
	s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		<-f.Context().Done()
		return f.Context().Err()
	})
	p := s.program(contract.Call, faulty, large)
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
	}
}

// beforeCollective makes one device fail before all of them add up their results. XLA would
// wait for it and then end the process.
func beforeCollective(s *scene) func(int) error {
	s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
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
	e := s.compile(summed(s.bound(faulty)), engine.CompileOptions{Replicas: numDevices})
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
		return gives(numDevices * float32(i))(first(out))
	}
}
