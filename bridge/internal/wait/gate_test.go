package wait

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A Gate has Width places. Who finds none waits for one, until the context ends, a rejection, or Close.
func TestGate(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(g *Gate, cancel func())
		want error
	}{
		"a place":     {func(g *Gate, _ func()) { g.Leave() }, nil},
		"the context": {func(_ *Gate, cancel func()) { cancel() }, context.Canceled},
		"rejected": {func(g *Gate, _ func()) {
			check.Diff(t, "any that was not seen", false, g.Reject(5, errRejected))
			g.MarkSeen(4)
			check.Diff(t, "any before", false, g.Reject(3, errRejected))
			check.Diff(t, "any", true, g.Reject(4, errRejected))
		}, errRejected},
		"closed": {func(g *Gate, _ func()) { g.Close() }, ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			var g Gate
			for i := range Width {
				alone, err := g.Enter(t.Context())
				check.NoError(t, err)
				check.Diff(t, "alone", i == 0, alone)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			entered := make(chan error)
			go func() { _, err := g.Enter(ctx); entered <- err }()
			for g.Waiting() == 0 {
				runtime.Gosched()
			}
			test.do(&g, cancel)
			check.Diff(t, "as wanted", true, errors.Is(<-entered, test.want))
			check.Diff(t, "waiters", 0, g.Waiting())
		})
	}
}

var errRejected = errors.New("rejected")

// Work with an effect waits for earlier work with the same one. If that failed, it is not done.
func TestSequenceOrder(t *testing.T) {
	s := NewSequence(new(Gate))
	first, err := s.Order(t.Context(), "a")
	check.NoError(t, err)
	other, err := s.Order(t.Context(), "b")
	check.NoError(t, err)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Order(cancelled, "a")
	check.Diff(t, "it waits", true, errors.Is(err, context.Canceled))
	second := make(chan error)
	go func() { _, err := s.Order(t.Context(), "a", "b"); second <- err }()
	for {
		if _, starting := s.State(); starting {
			break
		}
		runtime.Gosched()
	}
	other(nil)
	first(errRejected)
	check.Diff(t, "what failed before", true, errors.Is(<-second, errRejected))
	effects, starting := s.State()
	check.Diff(t, "effects", 0, effects)
	check.Diff(t, "starting", false, starting)
}
