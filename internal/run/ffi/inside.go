package ffi

// #include "ffi_handler.h"
import "C"

// Inside returns the run ids of the calls that are being executed on this thread, the
// innermost first. The caller's goroutine must be locked to its thread, as it is
// inside a call.
func Inside() []int64 {
	var ids []int64
	for call := C.calliope_ffi_inside(); call != nil; call = call.outer {
		if call.left == 0 {
			ids = append(ids, int64(call.run_id))
		}
	}
	return ids
}

// Entered is the result of Enter.
type Entered C.calliope_call

// Enter makes this thread one inside a call with the given run id, until Leave is called
// with the result. The goroutine must be locked to its thread.
func Enter(runID int64) *Entered { return (*Entered)(C.calliope_ffi_enter(C.int64_t(runID))) }

// Leave undoes Enter, on whichever thread that was.
func Leave(e *Entered) { C.calliope_ffi_leave((*C.calliope_call)(e)) }
