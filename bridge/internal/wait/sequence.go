package wait

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// A Sequence has the last runs of each effect, for the runs after them: see bridge.Sequence. It is safe for concurrent
// use.
type Sequence struct {
	behind *Gate // of those that wait
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

// A handover has the tokens that a run in flight has passed to the runs after it.
type handover struct {
	device  int           // -1 if the run is on several devices
	leading bool          // whether the arrays are tokens of JAX, which XLA cannot copy
	arrays  []pjrt.Array  // for each effect of the run; nil if it is on several devices
	uses    atomic.Int32  // by the run, and by those that have taken a token
	over    chan struct{} // closed when the run is over
	failure error         // of the run, when it is over
}

func newHandover() *handover {
	h := &handover{device: -1, over: make(chan struct{})}
	h.uses.Store(1)
	return h
}

// done ends a use.
func (h *handover) done() {
	if h.uses.Add(-1) > 0 {
		return
	}
	for _, a := range h.arrays {
		_ = a.Destroy() // there is no caller to return the error to
	}
}

// NewSequence returns a Sequence. Those that wait for others of it are in the queue of behind.
func NewSequence(behind *Gate) *Sequence {
	s := &Sequence{behind: behind, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// enter waits until no other run of the Sequence is being started.
func (s *Sequence) enter(ctx context.Context) error {
	select {
	case <-s.turn:
		return nil
	default:
		return s.behind.WaitFor(ctx, s.turn)
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

// end removes the tokens of a run that is over, with its error.
func (s *Sequence) end(h *handover, err error) {
	s.over(h)
	h.failure = err
	close(h.over)
}

// Order orders work of the host: see bridge.Client.Order. The error may be ErrClosed.
func (s *Sequence) Order(ctx context.Context, effects ...string) (done func(error), err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
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
		if err := s.behind.WaitFor(ctx, h.over); err != nil {
			return nil, err
		}
	}
	for _, h := range before {
		if h.failure != nil {
			return nil, sequenceError(h.failure)
		}
	}
	h := newHandover()
	s.set(effects, h)
	return func(err error) {
		s.end(h, err)
		h.done()
	}, nil
}

// sequenceError is the error of what is not executed because of a failure before it.
func sequenceError(failure error) error {
	if earlier, ok := errors.AsType[*engine.SequenceError](failure); ok {
		return earlier
	}
	return &engine.SequenceError{Err: failure}
}

// State returns the number of effects whose last run is not over, and whether a run is being started, for tests.
func (s *Sequence) State() (effects int, starting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.last), len(s.turn) == 0
}
