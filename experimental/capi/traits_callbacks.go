package capi

/*
#include <stdint.h>
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

//export calliopeVerify
func calliopeVerify(op unsafe.Pointer, handle C.uintptr_t) C.int {
	if cgo.Handle(handle).Value().(VerifyFunc)(MlirOperation{op}) {
		return 1
	}
	return 0
}

//export calliopeVerifyDestruct
func calliopeVerifyDestruct(handle C.uintptr_t) { cgo.Handle(handle).Delete() }
