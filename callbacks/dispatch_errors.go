package callbacks

import (
	"context"
	"fmt"
	"os"
	"time"
)

// GoexitError says that a callback on a goroutine of ours called runtime.Goexit, as
// testing.T.Fatal does.
type GoexitError struct{ Callback string }

func (e *GoexitError) Error() string {
	return fmt.Sprintf("callbacks: callback %q called runtime.Goexit (testing.T.Fatal does): return an error instead", e.Callback)
}

// TimeoutError says that a callback took too long. It matches
// context.DeadlineExceeded and os.ErrDeadlineExceeded.
type TimeoutError struct {
	Callback string
	Limit    time.Duration
	Waiting  string // for what the call still waited; "" where its function was running
	Capped   bool   // the limit is that of runs on several devices, not the callback's
}

func (e *TimeoutError) Error() string {
	doing := "was not done"
	if e.Waiting != "" {
		doing = "still waited " + e.Waiting
	}
	why := ""
	if e.Capped {
		why = ", the longest that a run on several devices allows"
	}
	return fmt.Sprintf("callbacks: callback %q %s after %v%s", e.Callback, doing, e.Limit, why)
}

// Is makes the error match those of a deadline.
func (e *TimeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// Timeout reports true, as errors of package net do.
func (e *TimeoutError) Timeout() bool { return true }
