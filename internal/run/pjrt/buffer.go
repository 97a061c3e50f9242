package pjrt

// #include "pjrt_buffer.h"
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"
)

// Array is an array on a device. Its memory is C's.
type Array struct {
	api *C.pjrt_api
	c   *C.pjrt_buffer
}

// IsNil reports whether a is the zero value.
func (a Array) IsNil() bool { return a.c == nil }

var arrays atomic.Int64

// ArraysAlive returns the number of arrays in the process that were made and not destroyed.
func ArraysAlive() int64 { return arrays.Load() }

// Made counts an array that is a run's output for ArraysAlive.
func (a Array) Made() { arrays.Add(1) }

// nothing is the memory of empty arrays: a plugin wants an address for them too.
var nothing [64]byte

// Put copies dense host data into a new array on a device. dtype is a PJRT_Buffer_Type. The
// data is not used any more when Put returns. The event, which may be nil, is that of the
// copy.
func (c *Client) Put(data []byte, dtype int32, dims []int, device int) (Array, Event, error) {
	return c.put(data, dtype, dims, c.devices[device], nil, 0)
}

// PutIn is Put into a memory of Memories.
func (c *Client) PutIn(data []byte, dtype int32, dims []int, m Memory) (Array, Event, error) {
	return c.put(data, dtype, dims, nil, m.c, 0)
}

// Share makes an array on a device that may use the data itself, which must be pinned until
// the event is over. Ask the event after Destroy.
func (c *Client) Share(data []byte, dtype int32, dims []int, device int) (Array, Event, error) {
	return c.put(data, dtype, dims, c.devices[device], nil, 1)
}

func (c *Client) put(
	data []byte, dtype int32, dims []int, device, memory unsafe.Pointer, share C.int,
) (Array, Event, error) {
	if len(data) == 0 {
		data = nothing[:]
	}
	var first *C.int64_t
	if len(dims) > 0 {
		first = (*C.int64_t)(unsafe.Pointer(&dims[0]))
	}
	r := C.calliope_put(c.api, c.c, device, memory, unsafe.Pointer(&data[0]), C.int32_t(dtype), first,
		C.size_t(len(dims)), share)
	if r.error != nil {
		return Array{}, Event{}, takeError(c.api, r.error)
	}
	arrays.Add(1)
	return Array{c.api, r.buffer}, Event{c.api, r.done}, nil
}

// OnHost reports whether the memory of the devices is that of the host: it asks for a new array of one byte.
func (c *Client) OnHost() (bool, error) {
	const u8 = 6
	a, _, err := c.Put(make([]byte, 1), u8, nil, 0)
	if err != nil {
		return false, err
	}
	var on C.bool
	err = takeError(c.api, C.calliope_buffer_on_host(c.api, a.c, &on))
	return bool(on), errors.Join(err, a.Destroy())
}

// CopyTo makes a copy of the array on another device. The array need not be computed, and
// may be destroyed at once.
func (c *Client) CopyTo(a Array, device int) (Array, error) {
	r := C.calliope_buffer_to_device(a.api, a.c, c.devices[device])
	if r.error != nil {
		return Array{}, takeError(a.api, r.error)
	}
	arrays.Add(1)
	return Array{a.api, r.buffer}, nil
}

// Ready returns an event that is over when the array is computed, or a nil event if it is
// computed already. The error is that of the computation.
func (a Array) Ready() (Event, error) {
	return newEvent(a.api, C.calliope_buffer_ready(a.api, a.c))
}

// Pointer returns the address of the memory of an array that is ready. The memory has the
// device's own layout, with sub-byte types packed.
func (a Array) Pointer() (unsafe.Pointer, error) { return a.pointer(0) }

// Hold returns what Pointer does, and keeps the memory until Release.
func (a Array) Hold() (unsafe.Pointer, error) { return a.pointer(1) }

func (a Array) pointer(hold C.int) (unsafe.Pointer, error) {
	r := C.calliope_buffer_pointer(a.api, a.c, hold)
	if r.error != nil {
		return nil, takeError(a.api, r.error)
	}
	return r.pointer, nil
}

// Release undoes Hold.
func (a Array) Release() error { return takeError(a.api, C.calliope_buffer_release(a.api, a.c)) }

// ToHost copies the array to data, with a byte for each element of a sub-byte type. data
// must be pinned until the event is over, which may be nil.
func (a Array) ToHost(data []byte) (Event, error) {
	if len(data) == 0 {
		data = nothing[:0:1]
	}
	return newEvent(a.api,
		C.calliope_buffer_to_host(a.api, a.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
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
