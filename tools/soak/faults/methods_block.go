package faults

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// blockingError is an error whose text takes a long time. The run must not wait for it.
// Only a few are injected, the others are normal.
func blockingError() misbehaviour {
	m := odd("error whose Error blocks", func(i int) error {
		if i > 16 {
			return injected(i)
		}
		return &errorBlocks{injected(i), new(atomic.Bool)}
	})
	want := m.want
	m.want = func(err error, i int) error {
		if e, ok := err.(*errorBlocks); ok && e.waited.Load() {
			return errors.New("the run waited for the text of its error")
		}
		return want(err, i)
	}
	return m
}

type errorBlocks struct {
	injected
	waited *atomic.Bool
}

func (e *errorBlocks) Error() string {
	time.Sleep(patience / 3)
	e.waited.Store(true)
	return fmt.Sprintf("injection %d", int(e.injected))
}
