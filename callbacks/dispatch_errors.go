package callbacks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// A GoexitError reports that a callback on a goroutine of its own called runtime.Goexit, as
// testing.T.Fatal does.
type GoexitError struct{}

func (*GoexitError) Error() string {
	return "the function called runtime.Goexit (testing.T.Fatal does): return an error instead"
}

// A TimeoutError reports that a callback took too long. It matches context.DeadlineExceeded
// and os.ErrDeadlineExceeded.
type TimeoutError struct {
	Limit   time.Duration
	Waiting string // what the call was still waiting for; "" if its function was running
	Capped  bool   // the limit is the one for runs on several devices, not the callback's
}

func (e *TimeoutError) Error() string {
	doing := "the function did not return"
	if e.Waiting != "" {
		doing = "the call was still waiting " + e.Waiting
	}
	why := ""
	if e.Capped {
		why = ", the limit for runs on several devices"
	}
	return fmt.Sprintf("%s after %v%s", doing, e.Limit, why)
}

// Is reports whether target is one of the two deadline errors.
func (e *TimeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// Timeout returns true, like the errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

// A LostError reports that a call was not made because too many functions are lost: their
// calls timed out or their runs were cancelled, and they have not returned.
type LostError struct {
	Registry  string
	Limit     int            // RegistryOptions.LostLimit
	Callbacks map[string]int // number of lost functions by callback
}

func (e *LostError) Error() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(e.Callbacks)) {
		list = append(list, fmt.Sprintf("%q (%d)", name, e.Callbacks[name]))
	}
	return fmt.Sprintf("callbacks: %d functions have not returned after their calls were stopped, which reaches RegistryOptions.LostLimit: %s: make them return when their context ends", e.Limit, strings.Join(list, ", "))
}

// A ReplacedError reports that a function assigned another array to an element of
// Frame.Results, which has no effect on the run.
type ReplacedError struct{ Result int }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("the function assigned another array to Frame.Results[%d]: copy the values into Results[%d].Data", e.Result, e.Result)
}
