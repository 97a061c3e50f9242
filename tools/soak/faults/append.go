package faults

import (
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// appended makes functions append to the lists that they were called with.
func appended(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		other := tensor.Vector(make([]float32, large)...)
		for _, list := range [][]tensor.View{f.Args, f.IDs, f.Results} {
			_ = append(list, other) // one list has spare capacity, if any has
		}
		return negate(f)
	})
	return s.eachSize(healthy)
}
