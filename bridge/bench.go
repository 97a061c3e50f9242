package bridge

import (
	"fmt"

	"github.com/calliope-mlir/calliope/c"
)

// The targets that RegisterFloors registers: handlers in C, each of which does what a way
// of dispatch does at least. Their calls have one f32 array as operand. In those of the
// passthrough form the result is that array in its memory; in those of the observe form
// it is a one-byte token.
const (
	// A second, kept thread sees the call while XLA's thread waits (passthrough). They
	// sleep on futexes or condition variables, at once or after looking for 20 µs.
	FloorThreadFutex     = "calliope_floor_thread_futex"
	FloorThreadFutexSpin = "calliope_floor_thread_futex_spin"
	FloorThreadCond      = "calliope_floor_thread_cond"
	FloorThreadCondSpin  = "calliope_floor_thread_cond_spin"
	// A second, kept thread finishes the future of the call (passthrough).
	FloorDeferred     = "calliope_floor_deferred"
	FloorDeferredSpin = "calliope_floor_deferred_spin"
	// The operand, of 4 KiB at most, is copied into a queue that a second thread empties
	// (observe).
	FloorQueue     = "calliope_floor_queue"
	FloorQueueSpin = "calliope_floor_queue_spin"
	// The operand is copied into kept memory (observe), or there and back (passthrough).
	FloorCopy   = "calliope_floor_copy"
	FloorCopies = "calliope_floor_copies"
)

var floors = map[string]c.Floor{
	FloorThreadFutex: c.FloorThreadFutex, FloorThreadFutexSpin: c.FloorThreadFutexSpin,
	FloorThreadCond: c.FloorThreadCond, FloorThreadCondSpin: c.FloorThreadCondSpin,
	FloorDeferred: c.FloorDeferred, FloorDeferredSpin: c.FloorDeferredSpin,
	FloorQueue: c.FloorQueue, FloorQueueSpin: c.FloorQueueSpin,
	FloorCopy: c.FloorCopy, FloorCopies: c.FloorCopies,
}

// RegisterFloors registers the targets of the floors, which calls of Go are measured
// against. Registering again does nothing. The threads that serve them stay until the
// process ends.
func (p *Plugin) RegisterFloors() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for target, floor := range floors {
		if p.targets[target] {
			continue
		}
		if err := p.c.RegisterFloor(target, floor); err != nil {
			return fmt.Errorf("bridge: custom call target %q: %w", target, err)
		}
		p.targets[target] = true
	}
	return nil
}
