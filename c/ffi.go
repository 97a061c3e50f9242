package c

/*
#include <stdlib.h>
#include "ffi_handler.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Site is one call site of a compiled module, bound to what it calls. The methods
// are called on XLA's threads, several at once, and must not panic.
type Site interface {
	// Execute runs one call. It returns 0, or an absl status code and a message.
	// The call is valid until Execute returns.
	Execute(call *Call) (code int32, message string)
	// Delete is called once, when the executable is destroyed.
	Delete()
}

// Attr is one attribute of a call site as XLA delivers it: a bool, int32, int64,
// uint64, …, float64, string, a slice of one of the numbers, or []Attr for a
// dictionary; nil for what is none of these.
type Attr struct {
	Key   string
	Value any
}

// Instantiate makes a Site of the attributes of a call site, while a module is
// being compiled. An error is the compile's error, with the given absl status
// code.
type Instantiate func(attrs []Attr) (site Site, code int32, err error)

var instantiate atomic.Pointer[Instantiate]

// SetInstantiate sets the way from XLA into Go, for all plugins. It is to be set
// before the first plugin is loaded.
func SetInstantiate(f Instantiate) { instantiate.Store(&f) }

// Call is the frame of one call. It is in C memory and belongs to XLA.
type Call C.calliope_call

// RunID is the launch id of the run that the call belongs to, 0 where none was
// given.
func (c *Call) RunID() int64 { return int64(c.run_id) }

// Device is the ordinal of the device that the call runs on.
func (c *Call) Device() int { return int(c.device) }

// Future is a call that is not over when its handler returns.
type Future struct {
	api    *C.ffi_api
	future *C.ffi_future
}

// Defer makes the call go on after Execute returns, until Finish; XLA keeps the
// memory of its operands and results, and nothing else of the call. It is false where
// XLA cannot wait.
func (c *Call) Defer() (Future, bool) {
	if c.api == nil {
		return Future{}, false // a part of a call, see Between
	}
	future := C.calliope_ffi_defer((*C.calliope_call)(c))
	return Future{c.api, future}, future != nil
}

// Finish ends the call, with an error where code, an absl status code, is not 0. It is
// to be called once, on any thread. XLA may go on with the run before it returns.
func (f Future) Finish(code int32, message string) {
	var text *C.char
	if code != 0 {
		text = cMessage(message)
	}
	C.calliope_ffi_finish(f.api, f.future, C.int32_t(code), text)
}

// Args are the operands.
func (c *Call) Args() *Buffers { return (*Buffers)(&c.frame.args) }

// Results are the results.
func (c *Call) Results() *Buffers { return (*Buffers)(&c.frame.results) }

// Buffers are the operands or the results of a call.
type Buffers C.ffi_values

// Len is the number of operands or results.
func (b *Buffers) Len() int { return max(int(b.size), 0) }

// At is operand or result i, which must be below Len, or nil where it is not a
// buffer. It stands in the path of every call, and uses addresses because slices
// made of C's pointers cost a multiple of what it does.
func (b *Buffers) At(i int) *Buffer {
	kind := *(*C.int32_t)(unsafe.Add(unsafe.Pointer(b.kinds), i*4))
	buffer := *(**Buffer)(unsafe.Add(unsafe.Pointer(b.items), i*8))
	if kind != C.FFI_KIND_BUFFER || buffer == nil || buffer.struct_size < C.sizeof_ffi_buffer {
		return nil
	}
	return buffer
}

// Buffer is an operand or a result in XLA's memory.
type Buffer C.ffi_buffer

// DType is the number of the element type in XLA's PrimitiveType.
func (b *Buffer) DType() int32 { return int32(b.dtype) }

// Data is the address of the elements; nil is allowed where there are none.
func (b *Buffer) Data() unsafe.Pointer { return b.data }

// Rank is the number of dimensions that the buffer says it has; it may make no sense.
func (b *Buffer) Rank() int { return int(b.rank) }

// Dim is dimension i, which must be below Rank; -1 where there are none.
func (b *Buffer) Dim(i int) int {
	if b.dims == nil {
		return -1
	}
	return *(*int)(unsafe.Add(unsafe.Pointer(b.dims), i*8))
}

// Dims are the dimensions in XLA's own memory, and false where their number is
// no number of dimensions.
func (b *Buffer) Dims() ([]int, bool) {
	if b.rank == 0 {
		return nil, true
	}
	if b.rank < 0 || b.rank > 1<<16 || b.dims == nil {
		return nil, false
	}
	return unsafe.Slice((*int)(unsafe.Pointer(b.dims)), int(b.rank)), true
}

// Inside is the run ids of the calls that are being executed on this thread, the
// innermost first. The caller's goroutine must be locked to its thread, as it is
// inside a call.
func Inside() []int64 {
	var ids []int64
	for call := C.calliope_ffi_inside(); call != nil; call = call.outer {
		if call.left == 0 {
			ids = append(ids, int64(call.run_id))
		}
	}
	return ids
}

// Entered is what Enter did.
type Entered C.calliope_call

// Enter makes this thread, to which the goroutine is to be locked, one inside of a call
// with the given run id, until Leave is called with the result.
func Enter(runID int64) *Entered { return (*Entered)(C.calliope_ffi_enter(C.int64_t(runID))) }

// Leave takes back what Enter did, on whichever thread that was.
func Leave(e *Entered) { C.calliope_ffi_leave((*C.calliope_call)(e)) }

// sites gives each Site a number that C can keep. Reading takes no lock: a slice
// that was published is never written but at places that nobody reads any more.
type siteTable struct {
	mu   sync.Mutex
	free []uintptr
	all  atomic.Pointer[[]Site]
}

var sites siteTable

func (t *siteTable) add(s Site) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Site
	if old := t.all.Load(); old != nil {
		all = *old
	}
	if n := len(t.free); n > 0 {
		number := t.free[n-1]
		t.free = t.free[:n-1]
		all[number-1] = s
		return number
	}
	all = append(all, s)
	t.all.Store(&all)
	return uintptr(len(all))
}

func (t *siteTable) get(number uintptr) Site { return (*t.all.Load())[number-1] }

func (t *siteTable) remove(number uintptr) Site {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := *t.all.Load()
	s := all[number-1]
	all[number-1] = nil
	t.free = append(t.free, number)
	return s
}

//export calliopeFFIExecute
func calliopeFFIExecute(call *C.calliope_call) {
	code, message := sites.get(uintptr(call.site)).Execute((*Call)(call))
	if code != 0 {
		call.code = C.int32_t(code)
		call.message = cMessage(message)
	}
}

//export calliopeFFIInstantiate
func calliopeFFIInstantiate(in *C.calliope_instantiation) {
	site, code, err := instantiateSite(in.frame)
	if err != nil {
		in.code = C.int32_t(code)
		in.message = cMessage(err.Error())
		return
	}
	in.site = C.uintptr_t(sites.add(site))
}

//export calliopeFFIDelete
func calliopeFFIDelete(number C.uintptr_t) { sites.remove(uintptr(number)).Delete() }

const codeInternal = 13

func instantiateSite(frame *C.ffi_frame) (site Site, code int32, err error) {
	defer func() {
		// A panic must not unwind into C.
		if p := recover(); p != nil {
			code, err = codeInternal, fmt.Errorf("calliope: binding a call site: panic: %v", p)
		}
	}()
	f := instantiate.Load()
	if f == nil {
		return nil, codeInternal, fmt.Errorf("calliope: no way into Go is set")
	}
	site, code, err = (*f)(attributes(&frame.attrs))
	if err != nil && code == 0 {
		code = codeInternal
	}
	return site, code, err
}

// cMessage copies a message to C. A NUL would end it early.
func cMessage(message string) *C.char {
	return C.CString(strings.ReplaceAll(message, "\x00", "\uFFFD"))
}

func attributes(attrs *C.ffi_attrs) []Attr {
	n := int(attrs.size)
	list := make([]Attr, n)
	kinds := unsafe.Slice(attrs.kinds, n)
	names := unsafe.Slice(attrs.names, n)
	items := unsafe.Slice(attrs.items, n)
	for i := range list {
		list[i] = Attr{Key: spanString(names[i]), Value: attribute(int32(kinds[i]), items[i])}
	}
	return list
}

func attribute(kind int32, item unsafe.Pointer) any {
	switch kind {
	case C.FFI_ATTR_STRING:
		return spanString((*C.ffi_span)(item))
	case C.FFI_ATTR_SCALAR:
		s := (*C.ffi_scalar)(item)
		return scalar(int32(s.dtype), s.value)
	case C.FFI_ATTR_ARRAY:
		a := (*C.ffi_array)(item)
		return array(int32(a.dtype), a.data, int(a.size))
	case C.FFI_ATTR_DICTIONARY:
		return attributes((*C.ffi_attrs)(item))
	}
	return nil
}

func spanString(s *C.ffi_span) string { return C.GoStringN(s.data, C.int(s.size)) }

// XLA's numbers for the element types that attributes may have.
const (
	xlaPred = 1
	xlaS8   = 2
	xlaS16  = 3
	xlaS32  = 4
	xlaS64  = 5
	xlaU8   = 6
	xlaU16  = 7
	xlaU32  = 8
	xlaU64  = 9
	xlaF32  = 11
	xlaF64  = 12
)

func scalar(dtype int32, p unsafe.Pointer) any {
	switch dtype {
	case xlaPred:
		return *(*bool)(p)
	case xlaS8:
		return *(*int8)(p)
	case xlaS16:
		return *(*int16)(p)
	case xlaS32:
		return *(*int32)(p)
	case xlaS64:
		return *(*int64)(p)
	case xlaU8:
		return *(*uint8)(p)
	case xlaU16:
		return *(*uint16)(p)
	case xlaU32:
		return *(*uint32)(p)
	case xlaU64:
		return *(*uint64)(p)
	case xlaF32:
		return *(*float32)(p)
	case xlaF64:
		return *(*float64)(p)
	}
	return nil
}

func array(dtype int32, p unsafe.Pointer, n int) any {
	switch dtype {
	case xlaPred:
		return copyOf[bool](p, n)
	case xlaS8:
		return copyOf[int8](p, n)
	case xlaS16:
		return copyOf[int16](p, n)
	case xlaS32:
		return copyOf[int32](p, n)
	case xlaS64:
		return copyOf[int64](p, n)
	case xlaU8:
		return copyOf[uint8](p, n)
	case xlaU16:
		return copyOf[uint16](p, n)
	case xlaU32:
		return copyOf[uint32](p, n)
	case xlaU64:
		return copyOf[uint64](p, n)
	case xlaF32:
		return copyOf[float32](p, n)
	case xlaF64:
		return copyOf[float64](p, n)
	}
	return nil
}

func copyOf[T any](p unsafe.Pointer, n int) []T {
	return append([]T{}, unsafe.Slice((*T)(p), n)...)
}
