package faults

import (
	"errors"
	"sync/atomic"
	"time"
)

// cyclic is an error that unwraps to itself, for more steps than any reasonable loop takes.
type cyclic struct {
	injected
	calls *atomic.Int64
	end   time.Time
}

const mostUnwraps = 1 << 20

func (e *cyclic) Unwrap() error {
	if e.calls.Add(1) > mostUnwraps && time.Now().After(e.end) {
		return nil // ends the loop if the test fails
	}
	return e
}

// cyclicError injects that error. The error must not be unwrapped forever.
func cyclicError() misbehaviour {
	m := odd("error that unwraps to itself", func(i int) error {
		return &cyclic{injected(i), new(atomic.Int64), time.Now().Add(patience / 10)}
	})
	want := m.want
	m.want = func(err error, i int) error {
		if e, ok := err.(*cyclic); ok && e.calls.Load() > mostUnwraps {
			return errors.New("the error was unwrapped forever")
		}
		return want(err, i)
	}
	return m
}
