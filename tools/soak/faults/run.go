package faults

import (
	"context"
	"errors"
	"fmt"
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

func cancelledBefore(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, negate)
	p := s.program(s.form(), healthy, large)
	cancelled, cancel := context.WithCancel(s.ctx)
	cancel()
	return func(i int) error {
		if err := s.works(p, healthy, i); err != nil {
			return err
		}
		_, err := s.run(cancelled, p, i, float32(i))
		return is(context.Canceled)(err, i)
	}
}

// cancelledWithin cancels the run's context during the call of its callback.
func cancelledWithin(
	with func(context.Context) (context.Context, context.CancelFunc), want error,
) func(*scene) func(int) error {
	return func(s *scene) func(int) error {
		var cancels sync.Map
		s.register(healthy, callbacks.Options{}, negate)
		s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
			if want == context.Canceled {
				cancel, _ := cancels.Load(numberOf(f))
				cancel.(context.CancelFunc)()
			}
			<-f.Context().Done()
			return nil // has no error for it
		})
		works := s.program(contract.Passthrough, healthy, large)
		p := s.program(contract.Call, faulty, large)
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
		}
	}
}

// cancelledAfter cancels a run that has ended: queued calls are delivered all the same.
func cancelledAfter(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, negate)
	p := s.program(s.form(), healthy, large)
	return func(i int) error {
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		s.delivers(healthy)
		got, err := s.run(ctx, p, i, float32(i))
		cancel()
		return s.negated(i)(got, err)
	}
}

// givenUp abandons a run whose callback hangs.
func givenUp(s *scene) func(int) error {
	var leaves sync.Map
	s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		leave, _ := leaves.Load(numberOf(f))
		<-leave.(chan bool)
		return nil
	})
	p := s.program(contract.Call, faulty, large)
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
	}
}

// backPressure has taps that are slower than the device, with a queue that can hold some of
// the small calls and none of the large ones.
func backPressure(s *scene) func(int) error {
	const calls, queue = 20, 4 << 10
	s.useRegistry(callbacks.RegistryOptions{QueueBytes: queue})
	var mu sync.Mutex
	saw := map[int][]float32{}
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
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
	programs := s.sizes(func(size int) string { return tapping(s.bound(healthy), calls, size) })
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
	}
}

// clientClosed closes a client while runs of it wait for their callbacks.
func clientClosed(s *scene) func(int) error {
	const runs = 3
	var leaves sync.Map
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		leave, _ := leaves.Load(numberOf(f))
		<-leave.(chan bool)
		return negate(f)
	})
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
		if err := says("the client is closed")(late, i); err != nil {
			return fmt.Errorf("another run: %w", err)
		}
		err = <-closed
		return errors.Join(err, e.Close())
	}
}

// executableClosed closes an executable in its own callback.
func executableClosed(s *scene) func(int) error {
	var executables sync.Map
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		e, _ := executables.Load(numberOf(f))
		return errors.Join(e.(*bridge.Executable).Close(), negate(f))
	})
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
		_, err = s.run(s.ctx, p, i, float32(i))
		return says("the executable is closed")(err, i)
	}
}

// nested executes inside a callback: on the client that waits for it, which is refused, and
// on the inner client, which works.
func nested(s *scene) func(int) error {
	same := s.compile(doubling, engine.CompileOptions{})
	var once sync.Once
	var inner *bridge.Executable
	var failed error
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		for _, ctx := range []context.Context{f.Context(), s.ctx} {
			_, err := same.Run(ctx, tensor.Scalar[float32](3))
			if err := says("InnerClient")(err, 0); err != nil {
				return fmt.Errorf("a run on the same client: %w", err)
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
		return errors.Join(gives(6)(first(out)), negate(f))
	})
	return s.eachSize(healthy)
}

const doubling = `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.add %x, %x : tensor<f32>
  return %y : tensor<f32>
}`

// eachSize runs the healthy callback, in small and large modules in turn.
func (s *scene) eachSize(name string) func(int) error {
	programs := s.pair(name)
	return func(i int) error { return s.works(programs[i%2], name, i) }
}

func barrierInside(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
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
	return s.eachSize(healthy)
}

// override provides a function for one run, which the next run must not use.
func override(s *scene) func(int) error {
	s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error { return &numbered{numberOf(f)} })
	p := s.program(s.form(), faulty, large)
	return func(i int) error {
		ctx, cancel := context.WithCancel(s.registry.With(s.ctx, faulty, negate))
		defer cancel()
		s.expect(faulty, tally{Fired: 1, Delivered: 1})
		if _, err := s.run(ctx, p, i, float32(i)); err != nil {
			return fmt.Errorf("with its own function: %w", err)
		}
		s.fails(faulty)
		_, err := s.run(s.ctx, p, i, float32(i))
		return s.failure(err, i, isNumbered)
	}
}

// loop makes a callback fail in the middle of a loop on the device, which stops the loop.
func loop(s *scene) func(int) error {
	const calls, last = 10, 3
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
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
	p := s.compiled(looping(s.bound(healthy), calls, large), large)
	return func(i int) error {
		if i%2 == 1 {
			s.expect(healthy, tally{Fired: last, Delivered: last - 1, Failed: 1, Called: last})
			_, err := s.run(s.ctx, p, i, float32(8*i))
			return isNumbered(err, i)
		}
		s.expect(healthy, tally{Fired: calls, Delivered: calls, Called: calls})
		return gives(float32(16*i + calls))(s.run(s.ctx, p, i, float32(8*i)))
	}
}
