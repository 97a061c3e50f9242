// Package ffitest makes call frames as XLA would, and as XLA never should, so that
// what reads them can be tested without a plugin.
package ffitest

/*
#include "../ffi_handler.h"
*/
import "C"

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// Buffer is one operand or result. The zero value of a field is its proper value,
// where there is one.
type Buffer struct {
	DType int32          // number in XLA's PrimitiveType
	Data  unsafe.Pointer // the elements
	Dims  []int64

	// For frames that make no sense:
	Kind       int32 // other than 0: not a buffer but this
	StructSize int   // other than 0: the size that the buffer says it has
	RankOff    int64 // added to the rank
	NoDims     bool  // no dimensions behind the rank
	Missing    bool  // no buffer behind the pointer
}

// Frame is the rest of a call.
type Frame struct {
	Args, Results []Buffer
	RunID         int64
	Device        int
	Stream        unsafe.Pointer // of a call whose operands and results are in the device's memory
}

// Call makes the call. Its memory is Go's.
func (f Frame) Call() *ffi.Call { return f.call(goMemory{}) }

func (f Frame) call(m memory) *ffi.Call {
	frame := m.frame()
	*frame = C.ffi_frame{struct_size: C.sizeof_ffi_frame, stage: C.FFI_STAGE_EXECUTE}
	frame.args = values(m, f.Args)
	frame.results = values(m, f.Results)
	call := m.call()
	*call = C.calliope_call{frame: frame, run_id: C.int64_t(f.RunID), device: C.int32_t(f.Device), stream: f.Stream}
	if f.Stream != nil {
		call.on_device = 1
	}
	return (*ffi.Call)(unsafe.Pointer(call))
}

// memory allocates what a call consists of.
type memory interface {
	frame() *C.ffi_frame
	call() *C.calliope_call
	buffer() *C.ffi_buffer
	kinds(n int) []C.int32_t
	items(n int) []unsafe.Pointer
	dims([]int64) *C.int64_t
}

type goMemory struct{}

func (goMemory) frame() *C.ffi_frame          { return new(C.ffi_frame) }
func (goMemory) call() *C.calliope_call       { return new(C.calliope_call) }
func (goMemory) buffer() *C.ffi_buffer        { return new(C.ffi_buffer) }
func (goMemory) kinds(n int) []C.int32_t      { return make([]C.int32_t, n) }
func (goMemory) items(n int) []unsafe.Pointer { return make([]unsafe.Pointer, n) }
func (goMemory) dims(dims []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(dims)) }

func values(m memory, list []Buffer) C.ffi_values {
	kinds := m.kinds(len(list))
	items := m.items(len(list))
	for i, b := range list {
		kinds[i] = C.FFI_KIND_BUFFER
		if b.Kind != 0 {
			kinds[i] = C.int32_t(b.Kind)
		}
		if b.Missing {
			continue
		}
		buffer := m.buffer()
		*buffer = C.ffi_buffer{
			struct_size: C.sizeof_ffi_buffer,
			dtype:       C.int32_t(b.DType),
			data:        b.Data,
			rank:        C.int64_t(int64(len(b.Dims)) + b.RankOff),
		}
		if b.StructSize != 0 {
			buffer.struct_size = C.size_t(b.StructSize)
		}
		if !b.NoDims {
			buffer.dims = m.dims(b.Dims)
		}
		items[i] = unsafe.Pointer(buffer)
	}
	return C.ffi_values{
		struct_size: C.sizeof_ffi_values,
		size:        C.int64_t(len(list)),
		kinds:       unsafe.SliceData(kinds),
		items:       unsafe.SliceData(items),
	}
}
