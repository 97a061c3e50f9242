package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// An Order orders the effects of runs: one that has an effect begins when the earlier ones that have it are over. The
// zero value is ready. It is safe for concurrent use.
type Order struct {
	mu   sync.Mutex
	last map[string]*turn // by effect
	n    int
}

// Entered returns how many runs have come to take a turn.
func (o *Order) Entered() int {
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

type turn struct {
	over chan struct{}
	err  error // of the run, when it is over
}

// Enter takes the turn of a run. It waits for earlier runs that have one of the effects, and later ones wait for leave,
// which gets the error of the run. If an earlier run has failed, the error is a *[SequenceError], and the run has no
// turn.
func (o *Order) Enter(ctx context.Context, effects []string) (leave func(error), err error) {
	if o == nil {
		panic(errtext.Receiver("engine: Order.Enter", true, "the package that has it"))
	}
	own := &turn{over: make(chan struct{})}
	before := o.follow(own, effects)
	leave = func(err error) {
		own.err = err
		o.remove(own)
		close(own.over)
	}
	for _, t := range before {
		select {
		case <-t.over:
		case <-ctx.Done():
			go func() { // those that wait for this one wait for the others, too
				for _, t := range before {
					<-t.over
				}
				leave(nil)
			}()
			return nil, context.Cause(ctx)
		}
	}
	for _, t := range before {
		if t.err == nil {
			continue
		}
		failed, ok := errors.AsType[*SequenceError](t.err)
		if !ok {
			failed = &SequenceError{Err: t.err}
		}
		leave(failed)
		return nil, failed
	}
	return leave, nil
}

// follow makes a run the last one of its effects, and returns those that it follows.
func (o *Order) follow(own *turn, effects []string) (before []*turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
	all := slices.Contains(effects, contract.AllEffects)
	for effect, t := range o.last {
		if (all || effect == contract.AllEffects || slices.Contains(effects, effect)) && !slices.Contains(before, t) {
			before = append(before, t)
		}
	}
	if all || o.last == nil {
		o.last = map[string]*turn{}
	}
	for _, effect := range effects {
		o.last[effect] = own
	}
	return before
}

func (o *Order) remove(t *turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for effect, last := range o.last {
		if last == t {
			delete(o.last, effect)
		}
	}
}

// A SequenceError reports a run that was not executed, because an earlier run of its order, for which it waited,
// failed.
type SequenceError struct {
	Err error // of the earlier run
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("run: an earlier run of its sequence failed, so it was not executed: %v", e.Err)
}

// Unwrap returns Err.
func (e *SequenceError) Unwrap() error { return e.Err }
