package dispatch

import (
	"errors"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/access"
)

// bound returns the slot that makes the calls: s or, if its callback was unregistered and the name
// was registered again, one for what has the name now.
func (s *Slot) bound() *Slot {
	if s.fn == nil || s.fn.Load() != nil {
		return s
	}
	if next := s.next.Load(); next != nil && next.fn.Load() != nil {
		return next
	}
	next, err := s.again()
	if err != nil {
		return s // whose calls return the error
	}
	s.next.Store(next)
	s.host.tallies.setGone(s.name, false)
	return next
}

// again binds the call site to what has the name now. Both slots count as one.
func (s *Slot) again() (*Slot, error) {
	config := s.config
	config.Optional = false
	next, err := bind(config)(access.FindIn(s.host.registry, config))
	if err != nil {
		return nil, err
	}
	next.config, next.turns, next.counts = s.config, s.turns, s.counts
	return next, nil
}

// gone returns the error of a call whose callback was unregistered: that of the callback that has
// the name now, if it does not fit the module.
func (s *Slot) gone() error {
	_, err := s.again()
	if _, unknown := errors.AsType[*callbacks.UnknownError](err); err != nil && !unknown {
		return err
	}
	return s.binding.Gone(s.config, s.registry)
}
