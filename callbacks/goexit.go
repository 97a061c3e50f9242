package callbacks

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// protectInline is protect on a thread of the runtime's. There runtime.Goexit would leave
// the runtime's functions on the thread's stack for ever. Where the runtime has not made
// the goroutine for such an end, the process ends at once: nobody would know that the
// goroutine is gone, which may be that of main.
func protectInline(fn Func, f *Frame) (err error) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil && inGoexit() {
			if f.run != nil && f.run.options.Expendable != nil && f.run.options.Expendable() {
				return
			}
			endProcess(f.Name)
		}
		err = &PanicError{Callback: f.Name, Value: value, Stack: debug.Stack()}
	}()
	err = fn(f)
	finished = true
	return err
}

// inGoexit reports whether the deferred function that calls it runs because of
// runtime.Goexit, and not of panic(nil) in old code.
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

// endProcess is for a process that cannot go on. There is nobody to return an error to.
func endProcess(callback string) {
	fmt.Fprintf(os.Stderr, "calliope: callback %q called runtime.Goexit (testing.T.Fatal does) in a call that compiled code waits for; the process ends, because that code cannot go on: return an error, register the callback with callbacks.Goroutine, or run with bridge.OnCaller\n", callback)
	os.Exit(2)
}
