package runtime

// #include "profile.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// A Lap is a piece of compiled code that a run was through with at a time, in nanoseconds.
type Lap struct{ Piece, End uint64 }

// A Total is the time that runs spent on a piece, in nanoseconds, and how often.
type Total struct{ Time, Count uint64 }

// mostLaps is how many laps of a run are kept.
const mostLaps = 1 << 16

// Profiled calls f, and returns what its thread spent on each of the pieces of compiled code, and the first laps with
// the time at which f began.
func Profiled(pieces int, f func()) (totals []Total, laps []Lap, begin uint64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	words := make([]uint64, 4+2*pieces+2*mostLaps)
	words[2], words[3] = uint64(pieces), mostLaps
	var pins runtime.Pinner
	pins.Pin(&words[0])
	defer pins.Unpin()
	var now C.uint64_t
	before := C.calliope_jit_profile((*C.uint64_t)(&words[0]), &now)
	begin = uint64(now)
	defer C.calliope_jit_profile(before, &now)
	f()
	totals = unsafe.Slice((*Total)(unsafe.Pointer(&words[4])), pieces)
	laps = unsafe.Slice((*Lap)(unsafe.Pointer(&words[4+2*pieces])), min(words[1], mostLaps))
	return totals, laps, begin
}
