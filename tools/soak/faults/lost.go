package faults

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
)

// lostFunctions makes functions not return after their timeout, more of them than there are
// workers, while a healthy callback of the same registry goes on.
func lostFunctions(s *scene) (func(int) error, error) {
	const workers, lost = 2, 6
	r, err := s.newRegistry(callbacks.RegistryOptions{Workers: workers})
	if err != nil {
		return nil, err
	}
	s.registry = r
	release := make(chan struct{})
	s.later(func() error { close(release); return nil })
	err = s.register(faulty, callbacks.Options{Timeout: short}, func(*callbacks.Frame) error {
		<-release
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.register(healthy, callbacks.Options{}, negate); err != nil {
		return nil, err
	}
	broken, err := s.pair(faulty)
	if err != nil {
		return nil, err
	}
	good, err := s.pair(healthy)
	if err != nil {
		return nil, err
	}
	return func(i int) error {
		if i <= lost {
			s.expect(faulty, tally{Fired: 1, Failed: 1, Called: uncertain})
			_, err := s.run(s.ctx, broken[i%2], i, float32(i))
			if s.way == callbacks.Async {
				s.tapFails(func(err error) error { return isTimeout(err, anyNumber) })
			} else {
				err = isTimeout(err, i)
			}
			if err != nil {
				return err
			}
		}
		// A call that waits for a worker that never comes waits for this limit.
		ctx, cancel := context.WithTimeout(s.ctx, patience/3)
		defer cancel()
		s.delivers(healthy)
		got, err := s.run(ctx, good[i%2], i, float32(i))
		if want := -2 * float32(i); err != nil || got != want && s.way != callbacks.Async {
			return fmt.Errorf("the healthy callback beside lost functions gave %g, %w; want %g within %v", got, err,
				want, patience/3)
		}
		return nil
	}, nil
}
