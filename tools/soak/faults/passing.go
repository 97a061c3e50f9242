package faults

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
)

// passingAsync has a passthrough call for which the program does not wait: the values go on
// unchanged, whatever the function does with its copy.
func passingAsync(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, negate)
	programs := s.sizes(func(size int) string { return calling(contract.Passthrough, s.bound(healthy), size) })
	return func(i int) error {
		s.delivers(healthy)
		return gives(2 * float32(i))(s.run(s.ctx, programs[i%2], i, float32(i)))
	}
}

var onlyAsync = []callbacks.Dispatch{callbacks.Async}
