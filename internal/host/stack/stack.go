// Package stack runs functions on threads with a large stack.
package stack

/*
#cgo !windows LDFLAGS: -lpthread
#include "stack.h"
*/
import "C"

import (
	"fmt"
	"os"
	"runtime/cgo"
	"sync/atomic"
	"syscall"
)

// stay is set by Stay.
var stay atomic.Bool

// Stay makes OnLarge call functions on the thread of its caller from now on. It is for processes that do their work in
// an init function: another thread can call Go only when all of these have returned.
func Stay() { stay.Store(true) }

// OnLarge runs f on a new thread whose C stack has 512 MiB (64 MiB on Windows), and returns
// when f returns. It passes on a panic of f. The error says that no thread could be started.
// If the stack overflows, the process ends.
//
// C++ parsers recurse once per nested bracket, and the 8 MiB that Go's threads usually
// have are used up by a few thousand. The memory is only reserved until it is touched.
func OnLarge(f func()) error {
	if stay.Load() {
		f()
		return nil
	}
	call := &stackCall{f: f}
	handle := cgo.NewHandle(call)
	defer handle.Delete()
	if errno := C.calliope_on_stack(C.size_t(large), C.uintptr_t(handle)); errno != 0 {
		return fmt.Errorf("starting a thread with a stack of %d MiB: %w: raise the limits of address space and processes (ulimit -v, -u)", large>>20, syscall.Errno(errno))
	}
	switch {
	case !call.ended:
		// Windows may end only the thread whose stack overflows. What f holds is then held
		// for ever.
		fmt.Fprintf(os.Stderr,
			"fatal error: a thread ended within its function: its stack of %d MiB probably overflowed\n", large>>20)
		os.Exit(2)
	case call.panicked:
		panic(call.value)
	}
	return nil
}

// IsLarge reports whether the calling goroutine runs in a function that OnLarge runs, or would run on the same thread
// in one.
func IsLarge() bool { return stay.Load() || C.calliope_is_on_stack() != 0 }

type stackCall struct {
	f        func()
	ended    bool // f returned or panicked
	panicked bool
	value    any
}

//export calliopeRunOnStack
func calliopeRunOnStack(handle C.uintptr_t) {
	call := cgo.Handle(handle).Value().(*stackCall)
	call.panicked = true
	defer func() {
		// A panic must not unwind into C: it is carried over to the waiting goroutine.
		if call.panicked {
			call.value = recover()
		}
		call.ended = true
	}()
	call.f()
	call.panicked = false
}
