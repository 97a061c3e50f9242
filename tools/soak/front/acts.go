package front

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

type value = builder.Value

// An act makes a function, calls it, and closes it.
type act struct {
	name string
	do   func(ctx context.Context, s *calliope.Session, random *rand.Rand) error
}

var acts = []act{
	{"shapes of a function", shapes}, {"a closure that times out", timesOut}, {"a run that is cancelled", cancelled},
	{"a closure that fails", fails}, {"a closure that panics", panics}, {"taps", taps}, {"donation", donates},
	{"a gradient", gradient}, {"a batch", batch}, {"a deadline within the compile", impatient},
	{"Close during a call", closeDuring}, {"a session", ownSession},
}

// with calls do with a function, and closes the function.
func with(s *calliope.Session, fn any, o calliope.FuncOptions, do func(f *calliope.Function) error) error {
	o.Session = s
	f := calliope.FuncWith(fn, o)
	err := do(f)
	return errors.Join(err, f.Close())
}

// want returns an error if got is not what a call must return.
func want[T comparable](wanted, got T, err error) error {
	if err == nil && got != wanted {
		err = fmt.Errorf("the result is %v, want %v", got, wanted)
	}
	return err
}

// failure returns an error if a call has not failed as it must.
func failure(err error, expected bool) error {
	if expected {
		return nil
	}
	return fmt.Errorf("the call ended with: %w", cmpError(err))
}

func cmpError(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// ones returns an array of up to 64 Ki elements.
func ones(random *rand.Rand) []float32 { return slices.Repeat([]float32{1}, 1<<random.IntN(17)) }

func shapes(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	double := func(x value) value { return builder.Add(x, builder.Reverse(x, 0)) }
	return with(s, double, calliope.FuncOptions{}, func(f *calliope.Function) error {
		for range 3 {
			y, err := calliope.Call[[]float32](ctx, f, make([]float32, 1+random.IntN(1000)))
			if err := want(0, cmpFirst(y), err); err != nil {
				return err
			}
		}
		return nil
	})
}

func cmpFirst(y []float32) float32 {
	if len(y) == 0 {
		return -1
	}
	return y[0]
}

func timesOut(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	late := func(x value) value {
		fn := func(_ context.Context, v []float32) ([]float32, error) {
			time.Sleep(3 * time.Millisecond)
			return v, nil
		}
		return calliope.RuntimeCall(builder.Like(x.Shape()), x, fn, calliope.CallOptions{Timeout: time.Millisecond})
	}
	return with(s, late, calliope.FuncOptions{}, func(f *calliope.Function) error {
		_, err := calliope.Call[[]float32](ctx, f, ones(random))
		_, is := errors.AsType[*callbacks.TimeoutError](err)
		return failure(err, is || ctx.Err() != nil)
	})
}

func cancelled(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	endless := func(x value) value {
		return builder.While(x, func(x value) value { return builder.Scalar(x.Func(), true) }, func(x value) value {
			calliope.Tap(x, func(context.Context, []float32) error { return nil },
				calliope.CallOptions{Dispatch: callbacks.Dispatch(random.IntN(4))})
			return builder.Add(x, 1)
		}, builder.LoopOptions{})
	}
	return with(s, endless, calliope.FuncOptions{}, func(f *calliope.Function) error {
		ctx, stop := context.WithTimeout(ctx, time.Duration(1+random.IntN(300))*time.Millisecond)
		defer stop()
		_, err := calliope.Call[[]float32](ctx, f, []float32{1, 2, 3})
		return failure(err, err != nil && ctx.Err() != nil)
	})
}

var errMine = errors.New("a failure on purpose")

func fails(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	fn := func() error { return errMine }
	return failing(ctx, s, random, fn, func(err error) bool { return errors.Is(err, errMine) })
}

func panics(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	return failing(ctx, s, random, func() error { panic("on purpose") }, func(err error) bool {
		_, is := errors.AsType[*callbacks.PanicError](err)
		return is
	})
}

func failing(
	ctx context.Context, s *calliope.Session, random *rand.Rand, fn func() error, is func(error) bool,
) error {
	way := []callbacks.Dispatch{0, calliope.Goroutine, calliope.Deferred}[random.IntN(3)]
	f := func(x value) value {
		fn := func(_ context.Context, v []float32) ([]float32, error) { return v, fn() }
		return calliope.RuntimeCall(builder.Like(x.Shape()), x, fn, calliope.CallOptions{Dispatch: way})
	}
	return with(s, f, calliope.FuncOptions{}, func(f *calliope.Function) error {
		_, err := calliope.Call[[]float32](ctx, f, ones(random))
		return failure(err, is(err) || ctx.Err() != nil)
	})
}

func taps(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	f := func(x value) value {
		for _, o := range []calliope.CallOptions{{}, {Dispatch: calliope.Async}, {PerSecond: 1000}, {Effect: "e"}} {
			calliope.Tap(x, func(context.Context, []float32) error { return nil }, o)
		}
		return x
	}
	return with(s, f, calliope.FuncOptions{}, func(f *calliope.Function) error {
		for range 3 {
			y, err := calliope.Call[[]float32](ctx, f, ones(random))
			if err := want(1, cmpFirst(y), err); err != nil {
				return err
			}
		}
		return nil
	})
}

func donates(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	f := func(x value) value { return builder.Add(x, 1) }
	return with(s, f, calliope.FuncOptions{Donate: []int{0}}, func(f *calliope.Function) error {
		a, err := s.ArrayFromHost(ctx, tensor.Vector(ones(random)...), 0)
		if err != nil {
			return err
		}
		for range 3 {
			out, err := f.Call(ctx, a)
			if err != nil {
				return errors.Join(err, a.Close())
			}
			a = out[0]
		}
		return a.Close()
	})
}

func gradient(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	step := func(w, x value) value {
		return builder.Grad(func(w value) value {
			y := builder.Tanh(builder.Mul(w, x))
			return builder.ReduceMean(builder.Square(calliope.Passthrough(y,
				func(context.Context, []float32) error { return nil })))
		})(w)
	}
	return with(s, step, calliope.FuncOptions{}, func(f *calliope.Function) error {
		x := make([]float32, 1+random.IntN(100))
		y, err := calliope.Call[[]float32](ctx, f, x, x)
		return want(0, cmpFirst(y), err)
	})
}

func batch(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	f := builder.Batch(func(x value) value {
		return calliope.PureCall(builder.Like(x.Shape()), x, func(_ context.Context, v []float32) ([]float32, error) {
			return v, nil
		}, calliope.CallOptions{Batch: []contract.BatchMethod{contract.Sequential, contract.Parallel}[random.IntN(2)]})
	}, builder.BatchOptions{})
	return with(s, f, calliope.FuncOptions{}, func(f *calliope.Function) error {
		y, err := calliope.Call[[][]float32](ctx, f, slices.Repeat([][]float32{{1, 2}}, 1+random.IntN(10)))
		if err != nil {
			return err
		}
		return want(2, y[len(y)-1][1], nil)
	})
}

func impatient(ctx context.Context, s *calliope.Session, random *rand.Rand) error {
	f := func(x value) value {
		for range 20 {
			x = builder.Add(builder.Sin(x), builder.Reverse(x, 0))
		}
		return x
	}
	return with(s, f, calliope.FuncOptions{}, func(f *calliope.Function) error {
		short, stop := context.WithTimeout(ctx, time.Millisecond)
		defer stop()
		for range 3 {
			if _, err := calliope.Call[[]float32](short, f, []float32{0, 0}); err != nil && short.Err() == nil {
				return err
			}
		}
		if random.IntN(2) == 0 {
			return nil // Close ends the compile
		}
		y, err := calliope.Call[[]float32](ctx, f, []float32{0, 0})
		return want(0, cmpFirst(y), err)
	})
}

func closeDuring(ctx context.Context, s *calliope.Session, _ *rand.Rand) error {
	inside, closed := make(chan struct{}, 1), make(chan struct{})
	f := calliope.FuncWith(func(x value) value {
		return calliope.Passthrough(builder.Add(x, 1), func(context.Context, float32) error {
			inside <- struct{}{}
			<-closed
			return nil
		})
	}, calliope.FuncOptions{Session: s})
	over := make(chan error, 1)
	go func() {
		y, err := calliope.Call[float32](ctx, f, float32(1))
		over <- want(2, y, err)
	}()
	var err error
	select {
	case <-inside:
	case err = <-over:
		over <- err
	}
	err = f.Close()
	close(closed)
	return errors.Join(err, <-over)
}

// sessionsEvery is how many of the acts with a session of their own open one: a client of XLA has threads.
const sessionsEvery = 8

func ownSession(ctx context.Context, _ *calliope.Session, random *rand.Rand) error {
	if random.IntN(sessionsEvery) > 0 {
		return nil
	}
	s, err := calliope.Open(ctx, calliope.Options{Engine: engines[random.IntN(len(engines))]})
	if err != nil {
		return err
	}
	return errors.Join(taps(ctx, s, random), s.Close())
}
