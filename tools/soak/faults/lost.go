package faults

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// lostFunctions makes functions not return after their timeout, more of them than there are
// workers, while a healthy callback of the same registry goes on.
func lostFunctions(s *scene) func(int) error {
	const workers, lost = 2, 6
	s.useRegistry(callbacks.RegistryOptions{Workers: workers})
	release := make(chan struct{})
	s.later(func() error { close(release); return nil })
	s.register(faulty, callbacks.Options{Timeout: short}, func(*callbacks.Frame) error {
		<-release
		return nil
	})
	s.register(healthy, callbacks.Options{}, negate)
	broken := s.pair(faulty)
	good := s.pair(healthy)
	return func(i int) error {
		if i <= lost {
			s.expect(faulty, tally{Fired: 1, Failed: 1, Called: uncertain})
			_, err := s.run(s.ctx, broken[i%2], i, float32(i))
			if err := s.failure(err, i, isTimeout); err != nil {
				return err
			}
		}
		// A call that waits for a worker that never comes waits for this limit.
		ctx, cancel := context.WithTimeout(s.ctx, patience/3)
		defer cancel()
		s.delivers(healthy)
		if err := s.negated(i)(s.run(ctx, good[i%2], i, float32(i))); err != nil {
			return fmt.Errorf("the healthy callback beside lost functions, within %v: %w", patience/3, err)
		}
		return nil
	}
}
