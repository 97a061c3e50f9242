package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/dispatch"
)

// Order orders work of the host with runs. It waits until the runs of the context's [Sequence] that have one of the
// effects are over, and makes later ones wait until done is called, with the error of the work. So do runs that
// wait for work of the host, and calls of Order. If the work or the run that it waited for failed, Order
// returns a *[SequenceError], and done is nil.
//
// Package stages orders what runs between compiled modules this way. Programs that are compiled whole are ordered by Run and Start.
func (c *Client) Order(ctx context.Context, effects ...string) (done func(error), err error) {
	c.given("Order")
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	s := c.sequenceOf(ctx)
	closed := func(err error) error {
		if err == errGateClosed {
			return fmt.Errorf("bridge: order: %w", err)
		}
		return err
	}
	if err := s.enter(ctx); err != nil {
		return nil, closed(err)
	}
	defer s.leave()
	tokens, before := s.find(effects)
	for _, t := range tokens {
		if t.of != nil {
			before = append(before, t.of)
		}
	}
	defer func() {
		for _, h := range before {
			h.done()
		}
	}()
	for _, h := range before {
		if err := c.behind.waitFor(ctx, h.over); err != nil {
			return nil, closed(err)
		}
	}
	for _, h := range before {
		if earlier, ok := errors.AsType[*SequenceError](h.failure); ok {
			return nil, earlier
		}
		if h.failure != nil {
			return nil, &SequenceError{Err: h.failure}
		}
	}
	h := &handover{device: -1, over: make(chan struct{})}
	h.uses.Store(1)
	s.set(effects, h)
	return func(err error) {
		s.over(h)
		h.failure = err
		close(h.over)
		h.done()
	}, nil
}
