package stages

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
)

// An Error is the error of a step that failed, other than that of a callback's call, which is a
// *callbacks.CallError, as elsewhere.
type Error struct {
	Step string // such as `stage 2`
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("stages: %s: %v", e.Step, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// An execution is one run of a program.
type execution struct {
	program *Executable
	calls   dispatch.Run
	ctx     context.Context // of the calls

	mu       sync.Mutex
	meetings map[*Stage]*meeting // that wait for replicas; nil for one replica
	ended    []bool              // by replica; nil for one
}

// lastRun numbers the executions of all programs, after the numbers that runs of package bridge can have.
var lastRun atomic.Int64

const firstRun = 1 << 32

// A run is an execution on one replica.
type run struct {
	*execution
	replica int
}

// run executes the program, and calls use with the results, which it releases afterwards.
func (e *Executable) run(ctx context.Context, inputs []engine.Input, use func(*execution, []*value) error) (err error) {
	if err := dispatch.Ended(ctx); err != nil {
		return err
	}
	if !e.life.Begin() {
		return fmt.Errorf("stages: the program is %w", ErrClosed)
	}
	defer e.life.End()
	depth, err := dispatch.Depth(ctx, 0)
	if err != nil {
		return fmt.Errorf("stages: run: %w", err)
	}
	args, err := take(inputs, e.inputs, e.replicas, e.devices)
	if err != nil {
		args.release()
		return err
	}
	leave, err := e.enter(ctx)
	if err != nil {
		args.release()
		return err
	}
	if err := args.claim(); err != nil {
		args.release()
		leave(nil)
		return err
	}
	defer func() { leave(err) }()
	x := &execution{program: e}
	if e.replicas > 1 {
		x.meetings, x.ended = map[*Stage]*meeting{}, make([]bool, e.replicas)
	}
	e.group.Begin(ctx, &x.calls, dispatch.RunOptions{ID: firstRun + lastRun.Add(1), Devices: e.replicas,
		Device: e.device(0, 0).Number, On: e.on, Depth: depth, Apart: true})
	defer x.calls.End()
	x.ctx = x.calls.Context()
	results, err := x.replicas(args.values)
	if err != nil {
		return err
	}
	defer release(results...)
	return use(x, results)
}

// replicas executes main on all replicas. It takes over the use of each of args, and the caller gets one of each
// result.
func (e *execution) replicas(args []*value) ([]*value, error) {
	p := e.program
	results, errs := make([][]*value, p.replicas), make([]error, p.replicas)
	execute := func(i int) {
		in := p.tokens.with(args[i*len(p.inputs):][:len(p.inputs)])
		if p.numbered {
			number := newArray(replicaShape)
			binary.NativeEndian.PutUint32(number.Data, uint32(i))
			in = append(in, onHost(number))
		}
		r := &run{e, i}
		results[i], errs[i] = r.body(p.main, nil, in)
		results[i] = p.tokens.drop(results[i])
		if p.replicas > 1 {
			e.leave(i)
		}
	}
	var others sync.WaitGroup
	for i := range p.replicas - 1 {
		others.Go(func() { execute(i + 1) })
	}
	execute(0)
	others.Wait()
	out := slices.Concat(results...)
	if err := errors.Join(errs...); err != nil {
		release(out...)
		return nil, e.calls.Err()
	}
	return out, nil
}

// An activation is one execution of a body.
type activation struct {
	*run
	body *body

	mu     sync.Mutex
	values []*value
	left   []int // by value: the uses that are not over
	missed []int // by step: the uses whose values are not computed yet
	err    error
	all    sync.WaitGroup
}

// body executes a body. captured are its first values, which stay the caller's. The body takes
// over one use of each of args. The caller gets one use of each result.
func (r *run) body(b *body, captured, args []*value) ([]*value, error) {
	a := &activation{run: r, body: b, values: make([]*value, len(b.shapes)), left: slices.Clone(b.uses),
		missed: slices.Clone(b.missing)}
	for i, v := range captured {
		a.put(i, v)
	}
	for i, v := range args {
		a.put(b.captures+i, v)
		release(v)
	}
	for _, c := range b.consts {
		v := onHost(c.data)
		a.put(c.value, v)
		release(v)
	}
	var ready []int
	for i, missed := range b.missing {
		if missed == 0 {
			ready = append(ready, i)
		}
	}
	a.start(ready)
	a.all.Wait()
	if a.err != nil {
		for i, v := range a.values {
			if v != nil && a.left[i] > 0 {
				v.drop(a.left[i])
			}
		}
		return nil, a.err
	}
	results := make([]*value, len(b.results))
	for i, v := range b.results {
		results[i] = a.values[v]
	}
	return results, nil
}

// put sets a value, with the uses that the body has of it.
func (a *activation) put(i int, v *value) {
	a.values[i] = v
	v.retain(a.left[i])
	if a.body.fetch != nil {
		a.send(i, v)
	}
}

// start makes steps that are ready: the last one on this goroutine.
func (a *activation) start(steps []int) {
	for len(steps) > 0 {
		for _, s := range steps[:len(steps)-1] {
			a.all.Go(func() { a.start([]int{s}) })
		}
		steps = a.make(steps[len(steps)-1])
	}
}

// make makes a step, and returns those that are ready afterwards.
func (a *activation) make(i int) (ready []int) {
	a.mu.Lock()
	failed := a.err != nil
	a.mu.Unlock()
	if failed {
		return nil
	}
	s := a.body.steps[i]
	ends := s.ends()
	made, err := a.step(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range ends.in {
		a.left[v]--
		release(a.values[v])
	}
	if err == nil && len(made) != len(ends.out) {
		err = fmt.Errorf("it returned %d values instead of %d", len(made), len(ends.out))
	}
	if err != nil {
		release(made...)
		if a.err == nil {
			a.err = a.named(s, err)
			a.calls.Fail(a.err)
			a.calls.Cancel()
		}
		return nil
	}
	for k, v := range ends.out {
		a.put(v, made[k])
		release(made[k])
		for _, j := range a.body.waiting[v] {
			if a.missed[j]--; a.missed[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return ready
}

// named adds the name of a step to its error, unless the error has one or is that of a call.
func (a *activation) named(s step, err error) error {
	if errors.As(err, new(*Error)) || errors.As(err, new(*callbacks.CallError)) {
		return err
	}
	switch s := s.(type) {
	case *stageStep:
		return &Error{s.stage.Name, err}
	case *callStep:
		return &Error{fmt.Sprintf("callback %q", s.callback.Name), err}
	case *branchStep:
		return &Error{s.name, err}
	}
	return &Error{"while", err}
}

// step makes a step with the values that it needs. The caller gets one use of each value.
func (a *activation) step(s step) ([]*value, error) {
	if err := a.ctx.Err(); err != nil {
		return nil, context.Cause(a.ctx)
	}
	switch s := s.(type) {
	case *stageStep:
		if s.stage.replicas > 0 {
			return a.meet(s.stage, a.take(s.in))
		}
		at := a.program.device(s.stage.Device, a.replica)
		return a.program.compiled[s.stage.number].run(a.ctx, []Device{at}, a.take(s.in), s.stage.donate)
	case *callStep:
		return a.call(s, a.take(s.in))
	case *branchStep:
		return a.branch(s)
	case *loopStep:
		return a.loop(s)
	}
	panic("stages: unknown step")
}

// take returns values of the body.
func (a *activation) take(numbers []int) []*value {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]*value, len(numbers))
	for i, n := range numbers {
		list[i] = a.values[n]
	}
	return list
}

func (a *activation) branch(s *branchStep) ([]*value, error) {
	selector, err := a.take([]int{s.selector})[0].host(a.ctx)
	if err != nil {
		return nil, err
	}
	which := len(s.bodies) - 1 // an index that is out of range selects the last branch
	switch i := selector.At(0).(type) {
	case bool:
		which = 1
		if i {
			which = 0
		}
	case int32:
		if i >= 0 && int(i) < len(s.bodies) {
			which = int(i)
		}
	}
	return a.run.body(s.bodies[which], a.take(s.captures[which]), nil)
}

func (a *activation) loop(s *loopStep) ([]*value, error) {
	state := a.take(s.init)
	retain(state...)
	inCond, inBody := a.take(s.condCaptures), a.take(s.bodyCaptures)
	for {
		if a.ctx.Err() != nil {
			release(state...)
			return nil, context.Cause(a.ctx)
		}
		retain(state...) // for the condition
		predicate, err := a.run.body(s.cond, inCond, state)
		if err != nil {
			release(state...)
			return nil, err
		}
		host, err := predicate[0].host(a.ctx)
		var more bool
		if err == nil {
			more, _ = host.At(0).(bool)
		}
		release(predicate...)
		if err != nil || !more {
			if err != nil {
				release(state...)
				return nil, err
			}
			return state, nil
		}
		if state, err = a.run.body(s.body, inBody, state); err != nil {
			return nil, err
		}
	}
}

// send begins to move a value to the devices of the stages that need it, which may still wait for other values.
func (a *activation) send(i int, v *value) {
	for _, d := range a.body.fetch[i] {
		at := a.program.device(d, a.replica)
		if at.onHost() || v.isOn(at) {
			continue
		}
		v.retain(1)
		a.all.Go(func() {
			_, _ = v.on(a.ctx, at) // the stage gets the error when it asks again
			release(v)
		})
	}
}
