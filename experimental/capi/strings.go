package capi

/*
#include <stdlib.h>
*/
import "C"

import "unsafe"

// stringRefs copies strings into C memory, each with a NUL after it. free releases them.
func stringRefs(list []string) (refs []MlirStringRef, free func()) {
	// There is always one, so that the array has an address.
	n := len(list) + 1
	refs = unsafe.Slice((*MlirStringRef)(Alloc(n*int(unsafe.Sizeof(MlirStringRef{})))), n)
	for i, s := range list {
		refs[i] = MlirStringRef{Data: unsafe.Pointer(C.CString(s)), Length: len(s)}
	}
	return refs, func() {
		for _, r := range refs {
			C.free(r.Data)
		}
		Free(unsafe.Pointer(&refs[0]))
	}
}
