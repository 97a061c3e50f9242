package dispatch

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
)

// protectInline is protect on a thread of the runtime. There runtime.Goexit would leave the
// runtime's C functions on the thread's stack for ever. Unless the runtime made the
// goroutine so that it may end this way, protectInline ends the process at once: otherwise
// the loss of the goroutine, which may be the main one, would go unnoticed.
func protectInline(fn callbacks.Func, c *Call) (err error) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil && inGoexit() {
			if c.run != nil && c.run.options.Expendable != nil && c.run.options.Expendable() {
				return
			}
			endProcess(c.Name)
		}
		err = panicked(value)
	}()
	err = fn(&c.Frame)
	finished = true
	return err
}

// panicked returns the error of a panic with a value. The deferred function that recovers calls it.
func panicked(value any) *callbacks.PanicError {
	e := &callbacks.PanicError{Value: value, Stack: debug.Stack()}
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for inPanic := false; ; {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if inPanic && !inRuntime {
			e.Loc = fmt.Sprintf("%s:%d", f.File, f.Line)
			return e
		}
		if inPanic = inPanic || inRuntime; !more {
			return e
		}
	}
}

// protectApart is protect on a goroutine of its own, which runtime.Goexit may end.
func protectApart(fn callbacks.Func, c *Call) error {
	var err error = &callbacks.GoexitError{}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		err = protect(fn, c)
	}()
	<-returned
	return err
}

// inGoexit reports whether the deferred function that calls it runs because of
// runtime.Goexit, and not because of panic(nil) in old code.
func inGoexit() bool {
	var callers [16]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.Goexit" {
			return true
		}
		if !more {
			return false
		}
	}
}

// endProcess ends a process that cannot continue. There is no caller to return an error to.
func endProcess(callback string) {
	fmt.Fprintf(os.Stderr, "calliope: callback %q called runtime.Goexit (testing.T.Fatal does) in a call that compiled code waits for; the process ends because that code cannot continue: return an error, register the callback with callbacks.Goroutine, or run with bridge.OnCaller\n", callback)
	os.Exit(2)
}
