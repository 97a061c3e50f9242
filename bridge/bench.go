package bridge

import (
	"context"
	"fmt"
)

// Bench executes n times in C, waits and drops the outputs, with nothing around it: the
// floor that Run is measured against. Callbacks in the module are called.
func (e *Executable) Bench(n int, inputs ...*Buffer) error {
	list := make([]Input, len(inputs))
	for i, b := range inputs {
		list[i] = b
	}
	r, err := e.begin(context.Background(), list, launch{})
	if err != nil {
		return err
	}
	if err := r.c.Bench(n); err != nil {
		r.finish(true)
		return planError("bench", err)
	}
	r.finish(true)
	if err := r.failure.Load(); err != nil {
		return fmt.Errorf("bridge: bench: %w", err.err)
	}
	return nil
}
