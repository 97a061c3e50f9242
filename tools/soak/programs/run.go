package programs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// random returns random numbers that only depend on the program and what they are for.
func (p *program) random(purpose int) *rand.Rand {
	return rand.New(rand.NewPCG(p.seed, uint64(1000+purpose)))
}

// A runner runs a compiled program, and holds what it does against the prediction.
type runner struct {
	*session
	p          *program
	executable engine.Executable
	host       bool // the inputs are host arrays, because no client runs the program
	random     *rand.Rand
}

// started is an execution in progress.
type started struct {
	number  int
	want    prediction
	inputs  []engine.Input
	kept    map[int]array // inputs that must stay as they are
	outputs []*engine.Array
	results []tensor.View
	err     error
}

// all runs the program several times: with two inputs, once with a fault, and once more after it.
func (r *runner) all(ctx context.Context) error {
	if e, ok := r.executable.(*bridge.Executable); ok && r.p.tokens {
		return r.sequence(ctx, e)
	}
	rec := &record{}
	var want []event
	for number := range 2 {
		wanted, err := r.once(ctx, rec, number, nil)
		if err != nil {
			return err
		}
		want = append(want, wanted...)
	}
	if err := r.p.compare(want, rec.take(), nil); err != nil {
		return err
	}
	if f := r.fault(want); f != nil {
		at := *f
		failed := &record{fault: f}
		want, err := r.once(ctx, failed, 0, &at)
		if err == nil {
			err = r.p.compare(want, failed.take(), &at)
		}
		if err != nil {
			return fmt.Errorf("with a fault, %s, at call %d of effect %q: %w", at.how, at.at, at.effect, err)
		}
		again := &record{}
		want, err = r.once(ctx, again, 1, nil)
		if err == nil {
			err = r.p.compare(want, again.take(), nil)
		}
		if err != nil {
			return fmt.Errorf("after a fault: %w", err)
		}
	}
	return nil
}

// fault chooses a call of the first run that fails, if the program has one that can.
func (r *runner) fault(want []event) *fault {
	if r.p.profile.devices > 0 || r.p.profile.old || r.random.IntN(2) == 0 {
		return nil
	}
	calls := map[int]*call{}
	var effects []string
	for _, c := range r.p.calls() {
		calls[c.site] = c
	}
	for _, e := range want {
		if c := calls[e.site]; e.run == 0 && c != nil && e.name != inserted {
			if key := keyOf(c.form, c.name, c.effect); !key.loose && !key.async && key.effect != allEffects {
				effects = append(effects, c.effect)
			}
		}
	}
	if len(effects) == 0 {
		return nil
	}
	f := &fault{how: []string{returned, panicked, cancelled}[r.random.IntN(3)],
		effect: effects[r.random.IntN(len(effects))]}
	for _, e := range want {
		if c := calls[e.site]; e.run == 0 && c != nil && e.name != inserted {
			if key := keyOf(c.form, c.name, c.effect); !key.loose && f.orders(key) {
				f.at++
			}
		}
	}
	f.at = 1 + r.random.IntN(f.at)
	return f
}

// once runs the program, holds the results against the prediction, and returns the calls that were predicted.
func (r *runner) once(ctx context.Context, rec *record, number int, f *fault) ([]event, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := r.prepare(ctx, number, 0)
	if err != nil {
		return nil, err
	}
	within := context.WithValue(ctx, runKey{}, &run{rec, number, cancel})
	if r.host {
		var views []tensor.View
		for _, in := range s.inputs {
			views = append(views, in.(tensor.View))
		}
		s.results, s.err = r.executable.Call(within, views...)
	} else {
		s.outputs, s.err = r.executable.Run(within, s.inputs...)
	}
	err = r.finish(s, f)
	return s.want.events, errors.Join(err, callbacks.Barrier(context.WithoutCancel(ctx), "random program"))
}

// prepare predicts a run and makes its inputs, on a device if the program runs on one.
func (r *runner) prepare(ctx context.Context, number, device int) (*started, error) {
	inputs := r.p.inputs(number)
	want, err := r.p.predict(inputs)
	if err != nil {
		return nil, err
	}
	for i := range want.events {
		want.events[i].run = number
	}
	s := &started{number: number, want: want, kept: map[int]array{}}
	donate := r.random.IntN(4) > 0
	for d, list := range inputs {
		for i, a := range list {
			if r.p.isSplit(r.p.main().params[i]) {
				a = part(a, d, len(inputs))
			}
			if r.host {
				s.inputs = append(s.inputs, a.view())
				s.kept[len(s.inputs)-1] = a
				continue
			}
			b, err := r.client.ArrayFromHost(ctx, a.view(), device+d)
			if err != nil {
				return nil, err
			}
			if donate && r.p.donated[i] {
				s.inputs = append(s.inputs, engine.Donate(b))
				continue
			}
			s.inputs = append(s.inputs, b)
			s.kept[len(s.inputs)-1] = a
		}
	}
	return s, nil
}

// finish holds a run that has ended against its prediction, and frees its arrays.
func (r *runner) finish(s *started, f *fault) (err error) {
	ctx := context.Background()
	defer func() {
		for _, in := range s.inputs {
			if b, ok := in.(*engine.Array); ok {
				err = errors.Join(err, b.Close())
			}
		}
		for _, b := range s.outputs {
			err = errors.Join(err, b.Close())
		}
	}()
	if err := failedAs(s.err, f); err != nil || s.err != nil {
		return err
	}
	for _, b := range s.outputs {
		v, err := b.ToHost(ctx)
		if err != nil {
			return err
		}
		s.results = append(s.results, v)
	}
	got, err := readAll(s.results)
	if err != nil {
		return err
	}
	var want []array
	for d, list := range s.want.results {
		for i, a := range list {
			if r.p.isSplit(r.p.main().body.results[i]) {
				a = part(a, d, len(s.want.results))
			}
			want = append(want, a)
		}
	}
	if !slices.EqualFunc(want, got, same) {
		return fmt.Errorf("the results of run %d are\n  %v\nwant\n  %v", s.number, got, want)
	}
	for i, a := range s.kept {
		v, ok := s.inputs[i].(tensor.View)
		if b, isBuffer := s.inputs[i].(*engine.Array); isBuffer {
			if v, err = b.ToHost(ctx); err != nil {
				return err
			}
			ok = true
		}
		if now, err := read(v); !ok || err != nil || !same(now, a) {
			return fmt.Errorf("input %d of run %d was not donated, and is changed from %v to %v (%v)", i, s.number, a,
				now, err)
		}
	}
	return nil
}

// failedAs returns an error if a run did not fail as a fault says.
func failedAs(err error, f *fault) error {
	if f == nil {
		if err != nil {
			return fmt.Errorf("the run failed: %w", err)
		}
		return nil
	}
	want := errInjected
	if f.how == cancelled {
		want = context.Canceled
	}
	var p *callbacks.PanicError
	if !errors.Is(err, want) || errors.As(err, &p) != (f.how == panicked) {
		return fmt.Errorf("the error of the run is %v, want that of the callback", err)
	}
	return nil
}

// sequence starts several runs, on devices at random, before it waits for them. The effects of each are in order with
// those of the others.
func (r *runner) sequence(ctx context.Context, e *bridge.Executable) error {
	ctx = bridge.WithSequence(ctx, r.client.NewSequence())
	rec := &record{}
	var want []event
	var all []*started
	var runs []*bridge.Run
	devices := map[int]int{}
	for number := range 3 {
		devices[number] = r.random.IntN(r.client.NumDevices())
		s, err := r.prepare(ctx, number, devices[number])
		if err != nil {
			return err
		}
		for i := range s.want.events {
			s.want.events[i].device = devices[number]
		}
		want = append(want, s.want.events...)
		all = append(all, s)
	}
	for number, s := range all {
		started, err := e.Start(context.WithValue(ctx, runKey{}, &run{in: rec, number: number}), s.inputs...)
		if err != nil {
			return err
		}
		runs = append(runs, started)
	}
	var errs []error
	for i, s := range all {
		s.outputs, s.err = runs[i].Wait(ctx)
		errs = append(errs, r.finish(s, nil))
	}
	errs = append(errs, callbacks.Barrier(ctx, "random program"))
	got := rec.take()
	for _, e := range got {
		if e.device != devices[e.run] {
			errs = append(errs, fmt.Errorf("run %d is on device %d, and a call is on device %d: %v", e.run,
				devices[e.run], e.device, e))
		}
	}
	return errors.Join(append(errs, r.p.compare(want, got, nil))...)
}
