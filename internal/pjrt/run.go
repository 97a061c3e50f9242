package pjrt

// #include "pjrt_run.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"sync/atomic"
	"time"
	"unsafe"
)

// Run is one execution, in room of C's. It belongs to one goroutine at a time. The zero
// value is none.
type Run struct{ c *C.calliope_run }

// Rooms is the room that runs of one executable took and gave back. It may be used on
// several goroutines. The zero value has none.
type Rooms struct {
	kept [8]atomic.Pointer[C.calliope_run]
}

// Take gives room for an execution with a number of arguments and results on each of a
// number of devices.
func (k *Rooms) Take(e Executable, devices, args, outputs int) (Run, error) {
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

// Give gives room back, once its run is over or was never launched.
func (k *Rooms) Give(r Run) {
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

// Free frees what was given back.
func (k *Rooms) Free() {
	for i := range k.kept {
		if run := k.kept[i].Swap(nil); run != nil {
			C.calliope_run_free(run)
		}
	}
}

// IsNil reports whether it is none.
func (r Run) IsNil() bool { return r.c == nil }

// Prepare sets what the execution is to be: id, which must not be 0, is what
// handlers see as their run. on is the device for an executable that fits any, -1 for
// the devices that it was compiled for. All arguments are kept, see Donate.
func (r Run) Prepare(id int32, client *Client, on int) {
	r.c.id = C.int32_t(id)
	r.c.device = nil
	if on >= 0 {
		r.c.device = client.devices[on]
	}
	r.c.num_kept = 0
}

// NumArgs is the number of arguments on each device.
func (r Run) NumArgs() int { return int(r.c.num_args) }

// SetArg sets argument i, counted over all devices.
func (r Run) SetArg(i int, a Array) {
	*(**C.pjrt_buffer)(unsafe.Add(unsafe.Pointer(r.c.args), i*8)) = a.c
}

// Keep says that argument i of each device is not donated.
func (r Run) Keep(i int) {
	*(*C.int64_t)(unsafe.Add(unsafe.Pointer(r.c.kept), int(r.c.num_kept)*8)) = C.int64_t(i)
	r.c.num_kept++
}

// Launched is what became of a launch.
type Launched int

const (
	Over    = Launched(C.CALLIOPE_RUN_OVER)    // on every device, perhaps with an error
	Pending = Launched(C.CALLIOPE_RUN_PENDING) // wait, or have it notified
	Refused = Launched(C.CALLIOPE_RUN_REFUSED) // nothing was executed, for the error
)

// Launch executes. XLA runs a small module before it returns.
func (r Run) Launch() Launched { return Launched(C.calliope_run_launch(r.c)) }

// Wait blocks the thread until a pending run is over on every device, for no longer
// than the limit, and reports whether it is.
func (r Run) Wait(limit time.Duration) bool {
	return C.calliope_run_wait(r.c, C.int64_t(limit)) != 0
}

// Notify reports whether a pending run is over on every device. Where it is not, done
// is called once it is, on any thread, perhaps before Notify returns; it must not block.
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

// Error is the first error that a device ended with, nil where there was none. Valid
// once the run is over.
func (r Run) Error() error {
	if r.c.code == 0 {
		return nil
	}
	return &Error{int(r.c.code), C.GoStringN(r.c.message, C.int(r.c.message_size))}
}

// Output is result i, counted over all devices, of a run that was not refused. It is the
// caller's.
func (r Run) Output(i int) Array {
	return Array{(*C.pjrt_api)(r.c.api), *(**C.pjrt_buffer)(unsafe.Add(unsafe.Pointer(r.c.outputs), i*8))}
}
