package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// runFaults are faults of contexts, of what a callback does to its own run, and of objects
// that are closed under a run.
func runFaults() []Fault {
	return []Fault{
		{"cancelled before", everyWay, cancelledBefore},
		{"cancelled within", withResult, cancelledWithin(context.WithCancel, context.Canceled)},
		{"deadline within", withResult,
			cancelledWithin(func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, short)
			}, context.DeadlineExceeded)},
		{"cancelled after", everyWay, cancelledAfter},
		{"given up while a callback hangs", withResult, givenUp},
		{"back-pressure", []callbacks.Dispatch{callbacks.Async}, backPressure},
		{"client closed under runs", everyWay, clientClosed},
		{"executable closed in a callback", everyWay, executableClosed},
		{"nested run", everyWay, nested},
		{"barrier in a callback", everyWay, barrierInside},
		{"override of another run", everyWay, override},
		{"error in a loop", withResult, loop},
	}
}

func cancelledBefore(s *scene) (func(int) error, error) {
	if err := s.register(healthy, callbacks.Options{}, negate); err != nil {
		return nil, err
	}
	p, err := s.program(s.form(), healthy, large)
	cancelled, cancel := context.WithCancel(s.ctx)
	cancel()
	return func(i int) error {
		if err := s.works(p, healthy, i); err != nil {
			return err
		}
		_, err := s.run(cancelled, p, i, float32(i))
		return is(context.Canceled)(err, i)
	}, err
}

// cancelledWithin cancels the run's context during the call of its callback.
func cancelledWithin(
	with func(context.Context) (context.Context, context.CancelFunc), want error,
) func(*scene) (func(int) error, error) {
	return func(s *scene) (func(int) error, error) {
		var cancels sync.Map
		err := errors.Join(s.register(healthy, callbacks.Options{}, negate),
			s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
				if want == context.Canceled {
					cancel, _ := cancels.Load(numberOf(f))
					cancel.(context.CancelFunc)()
				}
				<-f.Context().Done()
				return nil // has no error for it
			}))
		if err != nil {
			return nil, err
		}
		works, err := s.program(contract.Passthrough, healthy, large)
		if err != nil {
			return nil, err
		}
		p, err := s.program(contract.Call, faulty, large)
		return func(i int) error {
			if err := s.works(works, healthy, i); err != nil {
				return err
			}
			ctx, cancel := with(s.ctx)
			defer cancel()
			cancels.Store(i, cancel)
			defer cancels.Delete(i)
			if want == context.Canceled {
				s.fails(faulty)
			} else { // the deadline may have passed before the call
				s.expect(faulty, tally{Fired: uncertain, Failed: uncertain, Called: uncertain})
			}
			_, err := s.run(ctx, p, i, float32(i))
			return is(want)(err, i)
		}, err
	}
}

// cancelledAfter cancels a run that has ended: queued calls are delivered all the same.
func cancelledAfter(s *scene) (func(int) error, error) {
	if err := s.register(healthy, callbacks.Options{}, negate); err != nil {
		return nil, err
	}
	p, err := s.program(s.form(), healthy, large)
	return func(i int) error {
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		s.delivers(healthy)
		got, err := s.run(ctx, p, i, float32(i))
		cancel()
		if want := -2 * float32(i); err != nil || got != want && s.way != callbacks.Async {
			return fmt.Errorf("got %g, %w; want %g", got, err, want)
		}
		return nil
	}, err
}

// givenUp abandons a run whose callback hangs.
func givenUp(s *scene) (func(int) error, error) {
	var leaves sync.Map
	err := s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		leave, _ := leaves.Load(numberOf(f))
		<-leave.(chan bool)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p, err := s.program(contract.Call, faulty, large)
	return func(i int) error {
		leave := make(chan bool)
		leaves.Store(i, leave)
		in, err := s.input(i, large, float32(i))
		if err != nil {
			return err
		}
		defer in.Close()
		run, err := p.Start(s.ctx, in)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		s.expect(faulty, tally{Fired: 1, Failed: 1, Called: uncertain})
		_, err = run.Wait(ctx)
		close(leave)
		<-run.Done()
		_, again := run.Wait(s.ctx)
		return errors.Join(is(context.Canceled)(err, i), is(context.Canceled)(again, i))
	}, err
}

// backPressure has taps that are slower than the device, with a queue that can hold some of
// the small calls and none of the large ones.
func backPressure(s *scene) (func(int) error, error) {
	const calls, queue = 20, 4 << 10
	r, err := s.newRegistry(callbacks.RegistryOptions{QueueBytes: queue})
	if err != nil {
		return nil, err
	}
	s.registry = r
	var mu sync.Mutex
	saw := map[int][]float32{}
	err = s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		if err != nil {
			return err
		}
		time.Sleep(20 * time.Microsecond)
		mu.Lock()
		defer mu.Unlock()
		i := int(v[0]) / 32
		saw[i] = append(saw[i], v[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	programs, err := s.sizes(func(size int) string { return tapping(s.bound(healthy), calls, size) })
	return func(i int) error {
		s.expect(healthy, tally{Fired: calls, Delivered: calls, Called: calls})
		if _, err := s.run(s.ctx, programs[i%2], i, float32(32*i)); err != nil {
			return err
		}
		if err := s.client.Barrier(s.ctx, "all delivered"); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for k := range calls {
			if len(saw[i]) != calls || saw[i][k] != float32(32*i+k) {
				return fmt.Errorf("delivered were %v", saw[i])
			}
		}
		delete(saw, i)
		return nil
	}, err
}

// clientClosed closes a client while runs of it wait for their callbacks.
func clientClosed(s *scene) (func(int) error, error) {
	const runs = 3
	var leaves sync.Map
	err := s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		leave, _ := leaves.Load(numberOf(f))
		<-leave.(chan bool)
		return negate(f)
	})
	if err != nil {
		return nil, err
	}
	return func(i int) error {
		leave := make(chan bool)
		leaves.Store(i, leave)
		defer leaves.Delete(i)
		client, err := s.plugin.NewClient(bridge.ClientOptions{Devices: 1, DrainTimeout: patience})
		if err != nil {
			return err
		}
		e, err := client.Compile(s.ctx, bridge.Source(calling(s.form(), s.bound(healthy), large)),
			engine.CompileOptions{})
		if err != nil {
			return err
		}
		var list []*bridge.Run
		for range runs {
			data := make([]float32, large)
			data[0] = float32(i)
			run, err := e.Start(s.ctx, tensor.Vector(data...))
			if err != nil {
				return err
			}
			list = append(list, run)
		}
		closed := make(chan error)
		go func() { closed <- client.Close() }()
		for { // until Close has begun
			b, err := client.ArrayFromHost(context.Background(), tensor.Scalar(true), 0)
			if err != nil {
				break
			}
			if err := errors.Join(b.Close(), s.ctx.Err()); err != nil {
				return err
			}
		}
		_, late := e.Start(s.ctx, tensor.Vector(make([]float32, large)...))
		close(leave)
		s.expect(healthy, tally{Fired: runs, Delivered: runs, Called: runs})
		for _, run := range list {
			out, err := run.Wait(s.ctx)
			if err != nil {
				return fmt.Errorf("a run that was in flight: %w", err)
			}
			// The client is closed: only its buffers remain.
			for _, b := range out {
				if err := b.Close(); err != nil {
					return err
				}
			}
		}
		if late == nil || !strings.Contains(late.Error(), "the client is closed") {
			return fmt.Errorf("another run returned %v, want an error that the client is closed", late)
		}
		err = <-closed
		return errors.Join(err, e.Close())
	}, nil
}

// executableClosed closes an executable in its own callback.
func executableClosed(s *scene) (func(int) error, error) {
	var executables sync.Map
	err := s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		e, _ := executables.Load(numberOf(f))
		return errors.Join(e.(*bridge.Executable).Close(), negate(f))
	})
	if err != nil {
		return nil, err
	}
	return func(i int) error {
		size := []int{small, large}[i%2]
		e, err := s.client.Compile(s.ctx, bridge.Source(calling(s.form(), s.bound(healthy), size)),
			engine.CompileOptions{})
		if err != nil {
			return err
		}
		executables.Store(i, e)
		p := &program{e, size}
		if err := s.works(p, healthy, i); err != nil {
			return err
		}
		if s.way == callbacks.Async {
			if err := s.client.Barrier(s.ctx, "closed"); err != nil {
				return err
			}
		}
		if _, err := s.run(s.ctx, p, i, float32(i)); err == nil ||
			!strings.Contains(err.Error(), "the executable is closed") {
			return fmt.Errorf("the next run gave %v", err)
		}
		return nil
	}, nil
}

// nested executes inside a callback: on the client that waits for it, which is refused, and
// on the inner client, which works.
func nested(s *scene) (func(int) error, error) {
	same, err := s.compile(doubling)
	if err != nil {
		return nil, err
	}
	var once sync.Once
	var inner *bridge.Executable
	var failed error
	err = s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		for _, ctx := range []context.Context{f.Context(), s.ctx} {
			_, err := same.Run(ctx, tensor.Scalar[float32](3))
			if err == nil || !strings.Contains(err.Error(), "InnerClient") {
				return fmt.Errorf("a run on the same client gave %v", err)
			}
		}
		client, err := bridge.InnerClient(f.Context())
		if err != nil {
			return err
		}
		once.Do(func() {
			if inner, failed = client.Compile(s.ctx, bridge.Source(doubling), engine.CompileOptions{}); failed == nil {
				s.later(inner.Close)
			}
		})
		if failed != nil {
			return failed
		}
		out, err := inner.Run(f.Context(), tensor.Scalar[float32](3))
		if err != nil {
			return fmt.Errorf("on the inner client: %w", err)
		}
		if v, err := first(out); err != nil || v != 6 {
			return fmt.Errorf("the inner client gave %g, %w", v, err)
		}
		return negate(f)
	})
	if err != nil {
		return nil, err
	}
	return s.eachSize(healthy)
}

const doubling = `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.add %x, %x : tensor<f32>
  return %y : tensor<f32>
}`

// eachSize runs the healthy callback, in small and large modules in turn.
func (s *scene) eachSize(name string) (func(int) error, error) {
	programs, err := s.pair(name)
	return func(i int) error { return s.works(programs[i%2], name, i) }, err
}

func barrierInside(s *scene) (func(int) error, error) {
	err := s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		for _, err := range []error{
			s.client.Barrier(f.Context(), "inside"), s.client.Barrier(s.ctx, "inside"),
			callbacks.Barrier(f.Context(), "inside"),
		} {
			if !errors.Is(err, callbacks.ErrBarrierInside) {
				return fmt.Errorf("a barrier gave %v", err)
			}
		}
		return negate(f)
	})
	if err != nil {
		return nil, err
	}
	return s.eachSize(healthy)
}

// override provides a function for one run, which the next run must not use.
func override(s *scene) (func(int) error, error) {
	if err := s.register(faulty, callbacks.Options{},
		func(f *callbacks.Frame) error { return &numbered{numberOf(f)} }); err != nil {
		return nil, err
	}
	p, err := s.program(s.form(), faulty, large)
	return func(i int) error {
		ctx, cancel := context.WithCancel(s.registry.With(s.ctx, faulty, negate))
		defer cancel()
		s.expect(faulty, tally{Fired: 1, Delivered: 1})
		if _, err := s.run(ctx, p, i, float32(i)); err != nil {
			return fmt.Errorf("with its own function: %w", err)
		}
		s.fails(faulty)
		_, err := s.run(s.ctx, p, i, float32(i))
		if s.way != callbacks.Async {
			return isNumbered(err, i)
		}
		s.tapFails(func(err error) error { return isNumbered(err, anyNumber) })
		return err
	}, err
}

// loop makes a callback fail in the middle of a loop on the device, which stops the loop.
func loop(s *scene) (func(int) error, error) {
	const calls, last = 10, 3
	err := s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		v, err := tensor.Slice[float32](f.Args[0])
		if err != nil {
			return err
		}
		i, k := int(v[0])/16, int(v[0])%16
		if i%2 == 1 && k == last-1 {
			return &numbered{i}
		}
		v[0]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	e, err := s.compile(looping(s.bound(healthy), calls, large))
	p := &program{e, large}
	return func(i int) error {
		if i%2 == 1 {
			s.expect(healthy, tally{Fired: last, Delivered: last - 1, Failed: 1, Called: last})
			_, err := s.run(s.ctx, p, i, float32(8*i))
			return isNumbered(err, i)
		}
		s.expect(healthy, tally{Fired: calls, Delivered: calls, Called: calls})
		got, err := s.run(s.ctx, p, i, float32(8*i))
		if want := float32(16*i + calls); err != nil || got != want {
			return fmt.Errorf("got %g, %w; want %g", got, err, want)
		}
		return nil
	}, err
}
