package floor

/*
#include <stdlib.h>
#include "handlers.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// The custom call targets of Register. Each does what a way of dispatch does at least.
// But for Passthrough, which takes any, their calls have one f32 array as operand. In those
// of the passthrough form the result is that array in its memory; in those of the observe
// form it is a one-byte token.
const (
	// Does on XLA's thread what the trampoline does, but the crossing into Go (passthrough).
	Passthrough = "calliope_bench_c"
	// A second, kept thread sees the call while XLA's thread waits (passthrough). They
	// sleep on futexes or condition variables, at once or after looking for 20 µs.
	ThreadFutex     = "calliope_floor_thread_futex"
	ThreadFutexSpin = "calliope_floor_thread_futex_spin"
	ThreadCond      = "calliope_floor_thread_cond"
	ThreadCondSpin  = "calliope_floor_thread_cond_spin"
	// A second, kept thread finishes the future of the call (passthrough).
	Deferred     = "calliope_floor_deferred"
	DeferredSpin = "calliope_floor_deferred_spin"
	// The operand, of 4 KiB at most, is copied into a queue that a second thread empties
	// (observe).
	Queue     = "calliope_floor_queue"
	QueueSpin = "calliope_floor_queue_spin"
	// The operand is copied into kept memory (observe), or there and back (passthrough).
	Copy   = "calliope_floor_copy"
	Copies = "calliope_floor_copies"
)

var targets = map[string]C.int{
	Passthrough: C.CALLIOPE_FLOOR_PASSTHROUGH,
	ThreadFutex: C.CALLIOPE_FLOOR_THREAD_FUTEX, ThreadFutexSpin: C.CALLIOPE_FLOOR_THREAD_FUTEX_SPIN,
	ThreadCond: C.CALLIOPE_FLOOR_THREAD_COND, ThreadCondSpin: C.CALLIOPE_FLOOR_THREAD_COND_SPIN,
	Deferred: C.CALLIOPE_FLOOR_DEFERRED, DeferredSpin: C.CALLIOPE_FLOOR_DEFERRED_SPIN,
	Queue: C.CALLIOPE_FLOOR_QUEUE, QueueSpin: C.CALLIOPE_FLOOR_QUEUE_SPIN,
	Copy: C.CALLIOPE_FLOOR_COPY, Copies: C.CALLIOPE_FLOOR_COPIES,
}

var registered struct {
	sync.Mutex
	api unsafe.Pointer // of the plugin
}

// Register registers the targets with a plugin, which the bridge must have opened before:
// the bridge checks that its structures are those that are known. Registering again does
// nothing. A process can have the targets of one plugin; their threads stay until the
// process ends. At most 64 devices call them.
func Register(plugin *pjrt.Plugin) error {
	registered.Lock()
	defer registered.Unlock()
	switch registered.api {
	case plugin.API():
		return nil
	case nil:
	default:
		return errors.New("floor: the targets are registered with another plugin")
	}
	table, err := ffi.Table(plugin.RegisterHandler)
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	if err := textError(C.calliope_floor_init(table)); err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	for target, floor := range targets {
		name := C.CString(target)
		err := textError(C.calliope_floor_register(name, floor))
		C.free(unsafe.Pointer(name))
		if err != nil {
			return fmt.Errorf("floor: custom call target %q: %w", target, err)
		}
	}
	registered.api = plugin.API()
	return nil
}

// textError makes an error of a malloc'ed text, nil of NULL.
func textError(text *C.char) error {
	if text == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(text))
	return errors.New(C.GoString(text))
}
