package pjrt

// #include "pjrt_buffer.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"

	_ "github.com/calliope-mlir/calliope/internal/host/cgo" // C code includes denormal.h
)

// Event is something that a plugin may not have finished yet. The zero value is nil.
type Event struct {
	api *C.pjrt_api
	c   *C.pjrt_event
}

func newEvent(api *C.pjrt_api, r C.calliope_event_result) (Event, error) {
	return Event{api, r.event}, takeError(api, r.error)
}

// IsNil reports whether e is nil, because it was over before anybody could wait for it.
func (e Event) IsNil() bool { return e.c == nil }

// Notify reports whether the event is over, and with which error. If it is not, done is
// called when it is, on any thread, perhaps before Notify returns; done must not block.
// Notify must be called once, unless the event is nil.
func (e Event) Notify(done func(error)) (over bool, err error) {
	r := C.calliope_event_ready(e.api, e.c) // most often it is over, and needs no handle
	if r.event == nil {
		return true, takeError(e.api, r.error)
	}
	handle := cgo.NewHandle(done)
	r = C.calliope_event_over(e.api, e.c, C.uintptr_t(handle))
	if r.event != nil {
		return false, nil
	}
	handle.Delete()
	return true, takeError(e.api, r.error)
}

//export calliopePJRTEventOver
func calliopePJRTEventOver(handle C.uintptr_t, api unsafe.Pointer, err *C.pjrt_error) {
	h := cgo.Handle(handle)
	done := h.Value().(func(error))
	h.Delete()
	done(takeError((*C.pjrt_api)(api), err))
}
