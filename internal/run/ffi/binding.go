package ffi

// #include "ffi_handler.h"
import "C"

// Within calls f, which must compile or load on this thread. While XLA instantiates call sites on
// the thread, Binding returns the number.
func Within(number uint64, f func()) {
	outer := C.calliope_ffi_bind_within(C.uint64_t(number))
	defer C.calliope_ffi_bind_within(outer)
	f()
}

// Binding returns the number of the innermost Within on this thread, or 0 if there is none.
func Binding() uint64 { return uint64(C.calliope_ffi_binding()) }
