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

// LostError says that a call was not made because too many functions are lost: their time
// was up or their run was cancelled, and they have not returned.
type LostError struct {
	Registry  string
	Limit     int            // RegistryOptions.LostLimit
	Callbacks map[string]int // how many of each callback are lost
}

func (e *LostError) Error() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(e.Callbacks)) {
		list = append(list, fmt.Sprintf("%q (%d)", name, e.Callbacks[name]))
	}
	return fmt.Sprintf("callbacks: %d functions have not returned though their calls were given up, and RegistryOptions.LostLimit allows no more: %s: have them end when their context does", e.Limit, strings.Join(list, ", "))
}

// ReplacedError says that a function put another array in the place of a result, where
// nobody looks for it.
type ReplacedError struct {
	Callback string
	Result   int
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("callbacks: callback %q put another array into Frame.Results[%d]: copy the values into Results[%d].Data", e.Callback, e.Result, e.Result)
}
