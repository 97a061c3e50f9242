package c

/*
#include <stdlib.h>
#include "bench_floor.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Floor is a handler in C that does what a way of dispatch does at least. Measurements
// stand beside it.
type Floor int

// The floors. Those of the passthrough form have one f32 array as operand and, in its
// memory, as result; those of the observe form give a one-byte token.
const (
	FloorThreadFutex     Floor = C.CALLIOPE_FLOOR_THREAD_FUTEX      // passthrough: a second thread sees the call, both sleep on futexes
	FloorThreadFutexSpin Floor = C.CALLIOPE_FLOOR_THREAD_FUTEX_SPIN // the same, both look for 20 µs before they sleep
	FloorThreadCond      Floor = C.CALLIOPE_FLOOR_THREAD_COND       // with condition variables instead
	FloorThreadCondSpin  Floor = C.CALLIOPE_FLOOR_THREAD_COND_SPIN
	FloorDeferred        Floor = C.CALLIOPE_FLOOR_DEFERRED // passthrough: a second thread finishes the call's future
	FloorDeferredSpin    Floor = C.CALLIOPE_FLOOR_DEFERRED_SPIN
	FloorQueue           Floor = C.CALLIOPE_FLOOR_QUEUE // observe: copies up to 4 KiB into a queue that a second thread empties
	FloorQueueSpin       Floor = C.CALLIOPE_FLOOR_QUEUE_SPIN
	FloorCopy            Floor = C.CALLIOPE_FLOOR_COPY   // observe: copies the operand into kept memory
	FloorCopies          Floor = C.CALLIOPE_FLOOR_COPIES // passthrough: copies the operand into kept memory and back
)

// RegisterFloor registers a floor under a target name, once in a process. At most 64
// devices call it.
func (p *Plugin) RegisterFloor(target string, f Floor) error {
	if f < 0 || f >= C.CALLIOPE_FLOORS {
		return fmt.Errorf("there is no floor %d", f)
	}
	name := C.CString(target)
	defer C.free(unsafe.Pointer(name))
	return sentence(C.calliope_floor_register(C.int(p.number), name, C.int(f)))
}
