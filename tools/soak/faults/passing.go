package faults

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// passingAsync has a passthrough call for which the program does not wait: the values go on
// unchanged, whatever the function does with its copy.
func passingAsync(s *scene) (func(int) error, error) {
	if err := s.register(healthy, callbacks.Options{}, negate); err != nil {
		return nil, err
	}
	programs, err := s.sizes(func(size int) string { return calling(contract.Passthrough, s.bound(healthy), size) })
	return func(i int) error {
		s.delivers(healthy)
		got, err := s.run(s.ctx, programs[i%2], i, float32(i))
		if want := 2 * float32(i); err != nil || got != want {
			return fmt.Errorf("got %g, %w; want %g", got, err, want)
		}
		return nil
	}, err
}

var onlyAsync = []callbacks.Dispatch{callbacks.Async}
