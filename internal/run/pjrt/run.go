package pjrt

/*
#cgo !windows LDFLAGS: -lpthread
#cgo windows LDFLAGS: -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic
#include "pjrt_run.h"
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"sync/atomic"
	"time"
	"unsafe"
)

// Run is one execution, in C memory. One goroutine at a time may use it. The zero value is
// none.
type Run struct{ c *C.calliope_run }

// RunPool keeps the memory of finished runs of one executable for its next ones. It is safe
// for concurrent use. The zero value is empty.
type RunPool struct {
	kept [8]atomic.Pointer[C.calliope_run]
}

// Get returns memory for an execution with a number of arguments and outputs on each of a
// number of devices.
func (k *RunPool) Get(e Executable, devices, args, outputs int) (Run, error) {
	for i := range k.kept {
		// A look first: to take costs more, also where there is nothing.
		if k.kept[i].Load() == nil {
			continue
		}
		run := k.kept[i].Swap(nil)
		switch {
		case run == nil:
		case int(run.num_args) == args:
			return Run{run}, nil
		default:
			C.calliope_run_free(run)
		}
	}
	run := C.calliope_run_new(e.api, e.c, C.int32_t(devices), C.int32_t(args), C.int32_t(outputs))
	if run == nil {
		return Run{}, errors.New("there is no memory for another run")
	}
	return Run{run}, nil
}

// Put takes back the memory of a run that is over or was never launched.
func (k *RunPool) Put(r Run) {
	if r.c.code != 0 || r.c.subscribed != 0 {
		C.calliope_run_clear(r.c)
	}
	for i := range k.kept {
		if k.kept[i].Load() == nil && k.kept[i].CompareAndSwap(nil, r.c) {
			return
		}
	}
	C.calliope_run_free(r.c)
}

// Free frees what is kept.
func (k *RunPool) Free() {
	for i := range k.kept {
		if run := k.kept[i].Swap(nil); run != nil {
			C.calliope_run_free(run)
		}
	}
}

// IsNil reports whether r is the zero value.
func (r Run) IsNil() bool { return r.c == nil }

// Prepare starts the description of an execution. id, which must not be 0, is what handlers
// see as their run. on is the device for an executable that fits any, -1 for the devices that
// it was compiled for.
func (r Run) Prepare(id int32, client *Client, on int) {
	r.c.id = C.int32_t(id)
	r.c.device = nil
	if on >= 0 {
		r.c.device = client.devices[on]
	}
	r.c.num_kept = 0
}

// NumArgs returns the number of arguments on each device.
func (r Run) NumArgs() int { return int(r.c.num_args) }

// SetArg sets argument i, counted over all devices.
func (r Run) SetArg(i int, a Array) {
	*(**C.pjrt_buffer)(unsafe.Add(unsafe.Pointer(r.c.args), i*8)) = a.c
}

// Keep excludes argument i of each device from donation.
func (r Run) Keep(i int) {
	*(*C.int64_t)(unsafe.Add(unsafe.Pointer(r.c.kept), int(r.c.num_kept)*8)) = C.int64_t(i)
	r.c.num_kept++
}

// Launched is the result of a launch.
type Launched int

const (
	Over    = Launched(C.CALLIOPE_RUN_OVER)    // on every device, perhaps with an error
	Pending = Launched(C.CALLIOPE_RUN_PENDING) // wait, or have it notified
	Refused = Launched(C.CALLIOPE_RUN_REFUSED) // nothing was executed, for the error
)

// Launch executes. XLA may run a small module before Launch returns.
func (r Run) Launch() Launched { return Launched(C.calliope_run_launch(r.c)) }

// Wait blocks the thread until a pending run is over on every device, but no longer than the
// limit, and reports whether it is.
func (r Run) Wait(limit time.Duration) bool {
	return C.calliope_run_wait(r.c, C.int64_t(limit)) != 0
}

// Notify reports whether a pending run is over on every device. If it is not, done is called
// when it is, on any thread, perhaps before Notify returns; done must not block.
func (r Run) Notify(done func()) (over bool) {
	handle := cgo.NewHandle(done)
	if C.calliope_run_notify(r.c, C.uintptr_t(handle)) == 0 {
		return false
	}
	handle.Delete()
	return true
}

//export calliopePJRTDone
func calliopePJRTDone(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	done := h.Value().(func())
	h.Delete()
	done()
}

// Error returns the first error that a device ended with, nil if there was none. The run
// must be over.
func (r Run) Error() error {
	if r.c.code == 0 {
		return nil
	}
	return &Error{int(r.c.code), C.GoStringN(r.c.message, C.int(r.c.message_size))}
}

// Output returns output i, counted over all devices, of a run that was not refused. It is
// the caller's to destroy.
func (r Run) Output(i int) Array {
	return Array{(*C.pjrt_api)(r.c.api), *(**C.pjrt_buffer)(unsafe.Add(unsafe.Pointer(r.c.outputs), i*8))}
}
