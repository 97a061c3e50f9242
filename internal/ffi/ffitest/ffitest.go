// Package ffitest makes call frames as XLA would, and as XLA never should, so that
// what reads them can be tested without a plugin.
package ffitest

/*
#include "../ffi_handler.h"
*/
import "C"

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/ffi"
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
}

// Call makes the call. Its memory is Go's.
func (f Frame) Call() *ffi.Call {
	frame := &C.ffi_frame{struct_size: C.sizeof_ffi_frame, stage: C.FFI_STAGE_EXECUTE}
	frame.args = values(f.Args)
	frame.results = values(f.Results)
	call := &C.calliope_call{frame: frame, run_id: C.int64_t(f.RunID), device: C.int32_t(f.Device)}
	return (*ffi.Call)(unsafe.Pointer(call))
}

func values(list []Buffer) C.ffi_values {
	kinds := make([]C.int32_t, len(list))
	items := make([]unsafe.Pointer, len(list))
	for i, b := range list {
		kinds[i] = C.FFI_KIND_BUFFER
		if b.Kind != 0 {
			kinds[i] = C.int32_t(b.Kind)
		}
		if b.Missing {
			continue
		}
		buffer := &C.ffi_buffer{
			struct_size: C.sizeof_ffi_buffer,
			dtype:       C.int32_t(b.DType),
			data:        b.Data,
			rank:        C.int64_t(int64(len(b.Dims)) + b.RankOff),
		}
		if b.StructSize != 0 {
			buffer.struct_size = C.size_t(b.StructSize)
		}
		if !b.NoDims {
			buffer.dims = (*C.int64_t)(unsafe.SliceData(b.Dims))
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
