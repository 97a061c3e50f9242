// Package legacy calls C functions of the conventions that XLA's custom calls had before its typed
// FFI, and reads which functions a library registers.
package legacy

/*
#include <stdlib.h>
#include "legacy.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	_ "github.com/calliope-mlir/calliope/c/include" // legacy.h includes its header
)

// The forms of a function. calliope_custom_call.h has their signatures.
const (
	Host         = C.CALLIOPE_CUSTOM_CALL_HOST
	HostStatus   = C.CALLIOPE_CUSTOM_CALL_HOST_STATUS
	HostOpaque   = C.CALLIOPE_CUSTOM_CALL_HOST_OPAQUE
	Stream       = C.CALLIOPE_CUSTOM_CALL_STREAM
	StreamStatus = C.CALLIOPE_CUSTOM_CALL_STREAM_STATUS
	ByPlatform   = C.CALLIOPE_CUSTOM_CALL_BY_PLATFORM
)

// A Failure is the failure that a function reported.
type Failure struct{ Message string }

func (f *Failure) Error() string { return f.Message }

// A Call is the memory of one call at a time. The zero value is ready to use, and can be used again.
type Call struct {
	arrays []unsafe.Pointer
	pin    runtime.Pinner
	result C.calliope_legacy_result
}

// Add adds an array of the call: the operands' and, after them, the results'.
func (c *Call) Add(data []byte) {
	p := unsafe.Pointer(&C.calliope_legacy_empty) // for arrays without elements
	if len(data) > 0 {
		p = unsafe.Pointer(unsafe.SliceData(data))
	}
	c.pin.Pin(p) // it may be memory of Go
	c.arrays = append(c.arrays, p)
}

// Run calls a function, in a form other than ByPlatform, and forgets the arrays. It returns a *Failure if the
// function reports one. The call of a function of another signature is not defined. If the function crashes, the
// name is in a message on stderr.
func (c *Call) Run(name *Opaque, function unsafe.Pointer, form int, l *Layout, opaque *Opaque) error {
	defer func() {
		c.pin.Unpin()
		clear(c.arrays)
		c.arrays = c.arrays[:0]
	}()
	c.result = C.calliope_legacy_result{}
	C.calliope_legacy_call(name.pointer(), function, C.int32_t(form), unsafe.SliceData(c.arrays),
		(*C.int32_t)(unsafe.SliceData(l.slots)), C.size_t(len(l.slots)), C.int32_t(l.out),
		opaque.pointer(), C.size_t(len(opaque.bytes)-1), &c.result)
	switch {
	case c.result.memory == 0:
		return fmt.Errorf("there is no memory for the %d pointers of its tuples", len(l.slots))
	case c.result.failed == 0:
		return nil
	}
	return c.failure()
}

// failure returns the failure that the function reported.
func (c *Call) failure() error {
	defer C.free(unsafe.Pointer(c.result.message))
	switch n := uint64(c.result.length); c.result.problem {
	case C.CALLIOPE_MESSAGE_NULL:
		return &Failure{fmt.Sprintf("its message is a null pointer of the length %d", n)}
	case C.CALLIOPE_MESSAGE_LONG:
		return &Failure{
			fmt.Sprintf("its message has the length %d; a message has %d bytes at most", n, C.CALLIOPE_MESSAGE_LIMIT)}
	case C.CALLIOPE_MESSAGE_NO_MEMORY:
		return &Failure{fmt.Sprintf("there is no memory for its message of %d bytes", n)}
	}
	return &Failure{C.GoStringN(c.result.message, C.int(c.result.length))}
}

// An Opaque is a string of bytes for C. It ends with a zero byte that does not count.
type Opaque struct{ bytes []byte }

// NewOpaque returns a string for C.
func NewOpaque(s string) *Opaque { return &Opaque{append([]byte(s), 0)} }

func (o *Opaque) pointer() *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(o.bytes))) }

// An Entry is a function that a library registers.
type Entry struct {
	Name, Platform string
	Form           int
	Function       unsafe.Pointer
}

// maxEntries limits a list that may be a ring.
const maxEntries = 1 << 16

// Entries returns the functions of a library in the order of registration. list is the address of its
// function calliope_custom_calls.
func Entries(list unsafe.Pointer) ([]Entry, error) {
	var entries []Entry
	for c := C.calliope_legacy_list(list); c != nil; c = c.next {
		number := len(entries) + 1
		switch {
		case c.size < C.sizeof_CalliopeCustomCall:
			return nil, fmt.Errorf("entry %d of calliope_custom_calls has %d bytes, fewer than %d: build the library with the calliope_custom_call.h of this release", number, c.size, C.sizeof_CalliopeCustomCall)
		case number > maxEntries:
			return nil, fmt.Errorf("calliope_custom_calls lists more than %d functions", maxEntries)
		case c.name == nil || *c.name == 0:
			return nil, fmt.Errorf("entry %d of calliope_custom_calls has no name", number)
		case c.function == nil || c.platform == nil:
			return nil,
				fmt.Errorf("the entry %q of calliope_custom_calls has no function or no platform", C.GoString(c.name))
		case c.form < Host || c.form > ByPlatform:
			return nil, fmt.Errorf("the entry %q of calliope_custom_calls has the unknown form %d: use a newer release",
				C.GoString(c.name), c.form)
		}
		entries = append(entries,
			Entry{C.GoString(c.name), C.GoString(c.platform), int(c.form), unsafe.Pointer(c.function)})
	}
	for i, j := 0, len(entries)-1; i < j; i, j = i+1, j-1 {
		entries[i], entries[j] = entries[j], entries[i]
	}
	return entries, nil
}
