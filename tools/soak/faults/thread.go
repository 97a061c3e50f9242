package faults

import (
	"runtime"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
)

// unlockedThread makes functions release a lock to their thread that they do not hold. They
// may continue on another thread, and must leave no mark on the first one: later runs must
// not be mistaken for nested ones.
func unlockedThread(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		for range 3 {
			runtime.UnlockOSThread()
		}
		runtime.Gosched()
		time.Sleep(short / 10)
		return negate(f)
	})
	programs := s.pair(healthy)
	return func(i int) error {
		for k := range 4 {
			if err := s.works(programs[k%2], healthy, i+k); err != nil {
				return err
			}
		}
		return nil
	}
}
