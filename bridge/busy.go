package bridge

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// A BusyError reports that the context of a run ended while its device executed runs whose contexts had ended before:
// XLA cannot be stopped. It unwraps to the error of the context.
type BusyError struct {
	Device     int
	Runs       int           // that XLA still executes
	RunID      int64         // of the oldest one
	Executable string        // of that
	At         string        // the function and the line of Go that began it, "" if they are not known
	Since      time.Duration // since it began
	Err        error
}

func (e *BusyError) Error() string {
	at := ""
	if e.At != "" {
		at = " in " + e.At
	}
	return fmt.Sprintf("bridge: the run did not end in time: device %d still executes run %d of executable %q, which began %v ago%s and whose context has ended, and %d more such runs: a loop of compiled code ends with its context only if it calls back, or is prepared with passes.PrepareOptions.Interruptible (calliope.Options.Interruptible): %v",
		e.Device, e.RunID, e.Executable, e.Since.Round(time.Millisecond), at, e.Runs-1, e.Err)
}

// Unwrap returns e.Err.
func (e *BusyError) Unwrap() error { return e.Err }

// A start says when and where a run with a context that can end began.
type start struct {
	at    time.Time
	stack [24]uintptr
}

func (s *start) note() {
	s.at = time.Now()
	callers.Addresses(s.stack[:])
}

// busy returns the error of a run whose context ended with err: a *BusyError if its device executes others whose
// contexts have ended.
func (r *Run) busy(err error) error {
	e := &BusyError{Device: r.device, Err: err}
	for _, other := range r.exec.client.runs() { // the oldest first
		on := other.device == r.device
		if other.served.Several {
			on = slices.Contains(other.exec.devices, r.device)
		}
		if other == r || !on || !other.outcome.Abandoned() {
			continue
		}
		if e.Runs++; e.Runs == 1 {
			e.RunID, e.Executable = int64(other.served.ID()), other.exec.name()
			if s := &other.start; !s.at.IsZero() {
				e.Since, e.At = time.Since(s.at), s.line()
			}
		}
	}
	if e.Runs == 0 {
		return err
	}
	return e
}

const module = "github.com/calliope-mlir/calliope"

// line returns the innermost function outside of this module, and its line.
func (s *start) line() string {
	n := slices.Index(s.stack[:], 0)
	if n < 0 {
		n = len(s.stack)
	}
	frames := runtime.CallersFrames(s.stack[:n])
	for {
		f, more := frames.Next()
		ours := strings.HasPrefix(f.Function, module) && !strings.HasSuffix(f.File, "_test.go")
		if f.Function != "" && !ours {
			file := filepath.ToSlash(f.File)
			file = path.Join(path.Base(path.Dir(file)), path.Base(file))
			return fmt.Sprintf("%s (%s:%d)", path.Base(f.Function), file, f.Line)
		}
		if !more {
			return ""
		}
	}
}
