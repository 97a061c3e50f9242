package ffi

/*
#cgo !windows LDFLAGS: -lpthread
#cgo windows LDFLAGS: -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic
#include "inflight.h"
*/
import "C"

// Named is a Site that has a name.
type Named interface{ Name() string }

// InFlightCall is a call that is being executed on some thread.
type InFlightCall struct {
	RunID    int64
	Name     string // of a Named site
	Sequence uint64 // no other call of the process has it
}

// InFlight returns the calls that are under way on all threads. It does not stop calls: one
// that begins or returns meanwhile may be missing, or there.
func InFlight() []InFlightCall {
	for room := 64; ; room *= 4 {
		all := make([]C.calliope_in_flight, room)
		n := int(C.calliope_ffi_in_flight(&all[0], C.size_t(room)))
		if n > room {
			continue
		}
		list := make([]InFlightCall, n)
		for i, call := range all[:n] {
			list[i] = InFlightCall{RunID: int64(call.run_id), Sequence: uint64(call.sequence)}
			// The call may be over, and its site gone.
			if named, ok := sites.at(uintptr(call.site)).(Named); ok {
				list[i].Name = named.Name()
			}
		}
		return list
	}
}
