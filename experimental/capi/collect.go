package capi

/*
#include "buffer.h"

static MlirStringCallback text_callback(void) { return text_append; }
*/
import "C"

import "unsafe"

// Collect calls report, which calls a function of the API that reports text through a
// callback, and returns the text. The parts are joined in C, because printing a module
// calls back once for each token.
func Collect(report func(callback MlirStringCallback, userData unsafe.Pointer)) []byte {
	t := (*C.text)(C.calloc(1, C.sizeof_text))
	defer func() {
		C.free(unsafe.Pointer(t.data))
		C.free(unsafe.Pointer(t))
	}()
	report(MlirStringCallback(unsafe.Pointer(C.text_callback())), unsafe.Pointer(t))
	if t.failed {
		panic("capi: out of memory while collecting text")
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(t.data)), int(t.length))...)
}
