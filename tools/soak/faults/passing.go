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
	var programs [2]*program
	for i, size := range []int{small, large} {
		var err error
		if programs[i], err = s.program(contract.Passthrough, healthy, size); err != nil {
			return nil, err
		}
	}
	return func(i int) error {
		s.delivers(healthy)
		got, err := s.run(s.ctx, programs[i%2], i, float32(i))
		if want := 2 * float32(i); err != nil || got != want {
			return fmt.Errorf("got %g, %w; want %g", got, err, want)
		}
		return nil
	}, nil
}

var onlyAsync = []callbacks.Dispatch{callbacks.Async}
