package capi

/*
#include <stdlib.h>
*/
import "C"

import "unsafe"

// SetDebugTypes tells the library which parts print debug output.
func SetDebugTypes(t *Table, types []string) {
	list := unsafe.Slice((*unsafe.Pointer)(Alloc(len(types)*int(unsafe.Sizeof(uintptr(0))))), max(len(types), 1))
	defer Free(unsafe.Pointer(&list[0]))
	for i, s := range types {
		list[i] = unsafe.Pointer(C.CString(s))
		defer C.free(list[i])
	}
	MlirSetGlobalDebugTypes(t, unsafe.Pointer(&list[0]), len(types))
}
