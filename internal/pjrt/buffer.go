package pjrt

// #include "pjrt_buffer.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

// Array is an array on a device. Its memory is C's.
type Array struct {
	api *C.pjrt_api
	c   *C.pjrt_buffer
}

var arrays atomic.Int64

// ArraysAlive returns the number of arrays in the process that were made and not destroyed.
func ArraysAlive() int64 { return arrays.Load() }

// Made counts an array that is a run's output for ArraysAlive.
func (a Array) Made() { arrays.Add(1) }

// nothing is the memory of empty arrays: a plugin wants an address for them too.
var nothing [64]byte

// Put copies dense host data into a new array on a device. dtype is a PJRT_Buffer_Type. The
// data is copied before Put returns.
func (c *Client) Put(data []byte, dtype int32, dims []int, device int) (Array, error) {
	a, _, err := c.put(data, dtype, dims, device, 0)
	return a, err
}

// Share makes an array on a device that may use the data itself, which must be pinned until
// the Loan is over. Ask the Loan after Destroy.
func (c *Client) Share(data []byte, dtype int32, dims []int, device int) (Array, Loan, error) {
	a, done, err := c.put(data, dtype, dims, device, 1)
	return a, Loan{c.api, done}, err
}

func (c *Client) put(data []byte, dtype int32, dims []int, device int, share C.int) (Array, *C.pjrt_event, error) {
	if len(data) == 0 {
		data = nothing[:]
	}
	var first *C.int64_t
	if len(dims) > 0 {
		first = (*C.int64_t)(unsafe.Pointer(&dims[0]))
	}
	r := C.calliope_put(c.api, c.c, c.devices[device], unsafe.Pointer(&data[0]), C.int32_t(dtype), first, C.size_t(len(dims)), share)
	if r.error != nil {
		return Array{}, nil, takeError(c.api, r.error)
	}
	arrays.Add(1)
	return Array{c.api, r.buffer}, r.done, nil
}

// Loan is host memory that a plugin may read.
type Loan struct {
	api *C.pjrt_api
	c   *C.pjrt_event
}

// Over reports whether the memory is not read any more. If it still is, over is called when
// it is not, on any thread; it must not block. Over must be called once, after the array was
// destroyed.
func (l Loan) Over(over func()) bool {
	if C.calliope_event_ready(l.api, l.c) != 0 {
		return true
	}
	handle := cgo.NewHandle(over)
	if C.calliope_event_over(l.api, l.c, C.uintptr_t(handle)) == 0 {
		return false
	}
	handle.Delete()
	return true
}

// Pointer returns the address of the array's memory, which has the device's own layout, with
// sub-byte types packed. It waits until the array is computed, unless ready says that it is.
func (a Array) Pointer(ready bool) (unsafe.Pointer, error) {
	r := C.calliope_buffer_pointer(a.api, a.c, cInt(ready), 0)
	if r.error != nil {
		return nil, takeError(a.api, r.error)
	}
	return r.pointer, nil
}

// Hold returns what Pointer does, and keeps the memory in its place until Release.
func (a Array) Hold(ready bool) (unsafe.Pointer, error) {
	r := C.calliope_buffer_pointer(a.api, a.c, cInt(ready), 1)
	if r.error != nil {
		return nil, takeError(a.api, r.error)
	}
	return r.pointer, nil
}

// Release undoes Hold.
func (a Array) Release() error { return takeError(a.api, C.calliope_buffer_release(a.api, a.c)) }

// ToHost waits until the array is computed, and copies it to data, with a byte for each
// element of a sub-byte type.
func (a Array) ToHost(data []byte) error {
	if len(data) == 0 {
		data = nothing[:0:1]
	}
	return takeError(a.api, C.calliope_buffer_to_host(a.api, a.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

// Destroy frees the array. It must not be in use.
func (a Array) Destroy() error {
	arrays.Add(-1)
	return takeError(a.api, C.calliope_buffer_destroy(a.api, a.c))
}

// Shape returns the element type, a PJRT_Buffer_Type, and the dimensions.
func (a Array) Shape() (dtype int32, dims []int, err error) {
	r := C.calliope_buffer_shape(a.api, a.c)
	if r.error != nil {
		return 0, nil, takeError(a.api, r.error)
	}
	if r.num_dims > 0 {
		dims = append(dims, unsafe.Slice((*int)(unsafe.Pointer(r.dims)), int(r.num_dims))...)
	}
	return int32(r._type), dims, nil
}
