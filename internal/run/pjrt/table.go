package pjrt

// #include "pjrt_abi.h"
import "C"

import (
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"
)

const (
	maxTable      = 1 << 16 // bytes, far more than any release of PJRT has
	maxExtensions = 1 << 10 // of a list that may be a ring
)

// required are functions that each plugin has, besides those up to AddressableDevices: without them, there is nothing
// to compile, to run or to read.
var required = []int{
	C.PJRT_FN_COMPILE, C.PJRT_FN_BUFFER_FROM_HOST, C.PJRT_FN_GET_EXECUTABLE, C.PJRT_FN_EXECUTE,
	C.PJRT_FN_BUFFER_DESTROY,
	C.PJRT_FN_BUFFER_TO_HOST,
}

// checkTable returns an error for a table that cannot be that of a plugin, before anything is called.
func checkTable(api *C.pjrt_api) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the plugin's table (PJRT_Api) cannot be read: %v", fault)
		}
	}()
	const needed = C.sizeof_pjrt_api + (C.PJRT_FN_LAST_NEEDED+1)*C.sizeof_uintptr_t
	if api.version.major != 0 || api.struct_size < needed || api.struct_size > maxTable {
		return fmt.Errorf("the plugin speaks PJRT %d.%d (a table of %d bytes); 0.x with at least %d and at most %d is needed",
			api.version.major, api.version.minor, api.struct_size, needed, maxTable)
	}
	table := unsafe.Slice((*byte)(unsafe.Pointer(api)), int(api.struct_size))
	functions := unsafe.Slice((*uintptr)(unsafe.Pointer(&table[C.sizeof_pjrt_api])), C.PJRT_FN_LAST_NEEDED+1)
	for i, f := range functions {
		if f == 0 && (i <= C.PJRT_FN_ADDRESSABLE_DEVICES || slices.Contains(required, i)) {
			return fmt.Errorf("the plugin's table (PJRT_Api) lacks the function %d", i)
		}
	}
	_ = slices.Clone(table) // read to its end
	extensionOf(api, -1)    // so are all extensions
	return nil
}

// extensionOf returns the plugin's extension of a type, or nil.
func extensionOf(api *C.pjrt_api, kind C.int32_t) *C.pjrt_extension {
	e := api.extensions
	for range maxExtensions {
		if e == nil || e._type == kind {
			return e
		}
		e = e.next
	}
	return nil
}
