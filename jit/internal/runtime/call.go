package runtime

// #include "call.h"
// #include "copy.h"
// #include "product.h"
// #include "profile.h"
// #include "random.h"
// #include "sort.h"
// #include "split.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

// A Host serves the calls that compiled code makes of functions of the host.
type Host interface {
	// Call makes a call of a device, with the addresses of its arrays, on the thread of Run.Invoke. It returns false to
	// end the run.
	Call(site, device int, arrays *unsafe.Pointer) bool
}

// A Run is one execution of compiled code.
type Run struct {
	Host   Host   // nil if the code makes no calls of the host
	Module uint64 // the number of the module, for Inside
	Depth  int    // how many runs it is inside of, and itself; see the function Depth
	stop   atomic.Uint32
}

// Stop ends the run when its code next looks.
func (r *Run) Stop() { r.stop.Store(1) }

// Invoke calls a packed function with its arguments, which are in C's memory. It returns false if the run ended before
// the function returned.
func (r *Run) Invoke(function unsafe.Pointer, arguments *unsafe.Pointer) (finished bool) {
	handle := cgo.Handle(0)
	if r.Host != nil {
		handle = cgo.NewHandle(r)
		defer handle.Delete()
	}
	return C.calliope_jit_invoke((*[0]byte)(function), arguments, C.uintptr_t(handle), C.uint64_t(r.Module),
		C.int(r.Depth), (*C.uint32_t)(unsafe.Pointer(&r.stop))) != 0
}

//export calliopeJITCall
func calliopeJITCall(handle C.uintptr_t, site C.int64_t, device C.int32_t, arrays *unsafe.Pointer) C.int {
	if cgo.Handle(handle).Value().(*Run).Host.Call(int(site), int(device), arrays) {
		return 1
	}
	return 0
}

// Inside reports whether this thread is in a call of the host by a run of a module. The goroutine must be locked to its
// thread, as it is in such a call.
func Inside(module uint64) bool { return C.calliope_jit_inside(C.uint64_t(module)) != 0 }

// Depth returns Run.Depth of the run in whose call of the host this thread is, or 0. The goroutine must be locked to
// its thread if it is in one.
func Depth() int { return int(C.calliope_jit_depth()) }

// Enter makes this thread one in a call of the host by a run of a module, until Leave gets the result. depth is
// Run.Depth. The goroutine must be locked to its thread.
func Enter(module uint64, depth int) (entered unsafe.Pointer) {
	return C.calliope_jit_enter(C.uint64_t(module), C.int(depth))
}

// Leave undoes Enter, on whichever thread that was.
func Leave(entered unsafe.Pointer) { C.calliope_jit_leave(entered) }

// Symbols returns the addresses of the functions that compiled code calls, by their names.
func Symbols() map[string]unsafe.Pointer {
	return map[string]unsafe.Pointer{
		"calliope_jit_call":         C.calliope_jit_call_address,
		"calliope_jit_check":        C.calliope_jit_check,
		"calliope_jit_copy":         C.calliope_jit_copy_address,
		"calliope_jit_transpose":    C.calliope_jit_transpose_address,
		"calliope_jit_device":       C.calliope_jit_device,
		"calliope_jit_lap":          C.calliope_jit_lap,
		"calliope_jit_product":      C.calliope_jit_product,
		"calliope_jit_random":       C.calliope_jit_random,
		"calliope_jit_sort":         C.calliope_jit_sort_address,
		"calliope_jit_sort_by_keys": C.calliope_jit_sort_by_keys_address,
		"calliope_jit_split":        C.calliope_jit_split_address,
	}
}
