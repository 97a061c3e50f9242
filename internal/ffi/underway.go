package ffi

/*
#cgo LDFLAGS: -lpthread
#include "underway.h"
*/
import "C"

// Named is a Site that has a name.
type Named interface{ Name() string }

// UnderwayCall is a call that is being executed on some thread.
type UnderwayCall struct {
	RunID    int64
	Name     string // of a Named site
	Sequence uint64 // no other call of the process has it
}

// Underway returns the calls that are under way on all threads. It does not stop calls: one
// that begins or returns meanwhile may be missing, or there.
func Underway() []UnderwayCall {
	for room := 64; ; room *= 4 {
		all := make([]C.calliope_underway, room)
		n := int(C.calliope_ffi_underway(&all[0], C.size_t(room)))
		if n > room {
			continue
		}
		list := make([]UnderwayCall, n)
		for i, call := range all[:n] {
			list[i] = UnderwayCall{RunID: int64(call.run_id), Sequence: uint64(call.sequence)}
			// The call may be over, and its site gone.
			if named, ok := sites.at(uintptr(call.site)).(Named); ok {
				list[i].Name = named.Name()
			}
		}
		return list
	}
}
