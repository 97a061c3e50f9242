package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/dispatch"
)

// A Sequence orders the effects of executions: of two runs in it, the callbacks of an effect
// in the run that was started first are done before those of the same effect in the other
// one begin, on whatever devices the runs are. Runs that share no effect, and runs of
// different Sequences, are independent.
//
// Only the effects for which the module has runtime tokens are ordered this way: see
// builder.Options.RuntimeTokens and passes.AddRuntimeTokens. For each of them the program
// has one parameter and one result more, which Run and Start pass from one execution to the
// next, also to another device. They are not among the inputs and outputs of an Executable.
// The tokens that main takes and returns in a module that JAX lowered, for its ordered
// callbacks, are such tokens. The module does not name their effects, so the runs of all such
// modules are in one order. XLA does not copy these tokens: a run waits in Start for one that
// has them on another device.
//
// A context carries the Sequence, see [WithSequence], because all that a task starts should
// be in one order, and because Run and Start have no options. Runs whose context has none are
// in one Sequence of their client, which goroutines thus share. If several goroutines use a
// Sequence, their runs are in the order in which Start or Run took its turn; a further
// goroutine waits while another one starts a run. XLA executes a small module while it is
// started. A run on several devices waits in Start for the earlier runs of its effects, and
// the runs after it wait for it. A run with the effect builder.AllEffects follows all earlier
// runs of the Sequence that have effects, and those after it follow it. It has one token for
// each of its effects: if it follows more runs, it waits for the others in Start.
//
// If a run fails, the runs that were started before its end and wait for its tokens are not
// executed, and fail with a *[engine.SequenceError]. Runs that are started after its end have new
// tokens. [Client.Barrier] returns the first error.
//
// A Sequence needs no Close. It is safe for concurrent use.
type Sequence struct {
	client *Client
	// turn holds a value unless a run is being started. Goroutines that wait to receive from
	// a channel get its values in the order in which they came.
	turn chan struct{}

	mu   sync.Mutex
	last []lastToken // of the effects whose last run is not over
}

// A lastToken is the token that the last run with an effect returns.
type lastToken struct {
	effect string
	of     *handover
	i      int // of the handover's arrays
}

// NewSequence returns a Sequence for runs of this client, in addition to the client's own.
func (c *Client) NewSequence() *Sequence {
	c.given("NewSequence")
	s := &Sequence{client: c, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

type sequenceKey struct{}

// WithSequence returns a context with which runs are in the Sequence s. It has no effect on
// runs of other clients than that of s: a callback has the context of its run, but the runs
// that it starts on its [InnerClient] are in that client's own Sequence. nil means the
// client's own Sequence, too.
func WithSequence(ctx context.Context, s *Sequence) context.Context {
	return context.WithValue(ctx, sequenceKey{}, s)
}

// sequenceOf returns the Sequence for a run with the context.
func (c *Client) sequenceOf(ctx context.Context) *Sequence {
	if s, _ := ctx.Value(sequenceKey{}).(*Sequence); s != nil && s.client == c {
		return s
	}
	return c.sequence
}

// enter waits until no other run of the Sequence is being started.
func (s *Sequence) enter(ctx context.Context) error {
	select {
	case <-s.turn:
		return nil
	default:
		return s.client.behind.waitFor(ctx, s.turn)
	}
}

func (s *Sequence) leave() { s.turn <- struct{}{} }

// find returns the last token for each of the effects of a run, or one of no handover if the
// last run is over. others are further runs that the run has to wait for. The caller must call
// done of the handovers.
func (s *Sequence) find(effects []string) (tokens []lastToken, others []*handover) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tokens = make([]lastToken, len(effects))
	if len(s.last) == 0 {
		return tokens, nil
	}
	for i, effect := range effects {
		all := lastToken{}
		for _, t := range s.last {
			if t.effect == effect {
				tokens[i] = t
			}
			if t.effect == contract.AllEffects {
				all = t
			}
		}
		if tokens[i].of == nil {
			tokens[i] = all
		}
	}
	if all := slices.Index(effects, contract.AllEffects); all >= 0 {
		for _, t := range s.last {
			switch {
			case slices.ContainsFunc(tokens, func(own lastToken) bool { return own.of == t.of }):
			case tokens[all].of == nil:
				tokens[all] = t
			case !slices.Contains(others, t.of):
				others = append(others, t.of)
			}
		}
	}
	for _, t := range tokens {
		if t.of != nil {
			t.of.uses.Add(1)
		}
	}
	for _, h := range others {
		h.uses.Add(1)
	}
	return tokens, others
}

// set makes the tokens of a handover the last ones of its effects. If h is nil, the last
// runs of the effects are over.
func (s *Sequence) set(effects []string, h *handover) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h == nil && len(s.last) == 0 {
		return
	}
	if slices.Contains(effects, contract.AllEffects) { // the run follows all others
		clear(s.last)
		s.last = s.last[:0]
	}
	for i, effect := range effects {
		s.setLocked(lastToken{effect, h, i})
	}
}

func (s *Sequence) setLocked(t lastToken) {
	for i := range s.last {
		if s.last[i].effect != t.effect {
			continue
		}
		if t.of == nil {
			n := len(s.last) - 1
			s.last[i], s.last[n] = s.last[n], lastToken{}
			s.last = s.last[:n]
		} else {
			s.last[i] = t
		}
		return
	}
	if t.of != nil {
		s.last = append(s.last, t)
	}
}

// over removes the tokens of a run that is over: the next run needs not wait for it.
func (s *Sequence) over(h *handover) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.last[:0]
	for _, t := range s.last {
		if t.of != h {
			kept = append(kept, t)
		}
	}
	clear(s.last[len(kept):])
	s.last = kept
}

// Order orders work of the host with runs. It waits until the runs of the context's [Sequence] that have one of the
// effects are over, and makes later ones wait until done is called, with the error of the work. So do runs that
// wait for work of the host, and calls of Order. If the work or the run that it waited for failed, Order
// returns a *[engine.SequenceError], and done is nil.
//
// Package stages orders what runs between compiled modules this way. Programs that are compiled whole are ordered by
// Run and Start.
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
		if earlier, ok := errors.AsType[*engine.SequenceError](h.failure); ok {
			return nil, earlier
		}
		if h.failure != nil {
			return nil, &engine.SequenceError{Err: h.failure}
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
