package capi

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

func passOf(handle C.uintptr_t) *passEntry { return cgo.Handle(handle).Value().(*passEntry) }

//export calliopePassConstruct
func calliopePassConstruct(handle C.uintptr_t) { passOf(handle).refs.Add(1) }

//export calliopePassDestruct
func calliopePassDestruct(handle C.uintptr_t) {
	e := passOf(handle)
	if e.refs.Add(-1) > 0 {
		return
	}
	for _, s := range e.texts {
		C.free(unsafe.Pointer(s))
	}
	cgo.Handle(handle).Delete()
}

//export calliopePassInitialize
func calliopePassInitialize(context unsafe.Pointer, handle C.uintptr_t) C.int {
	if passOf(handle).pass.Initialize(MlirContext{context}) {
		return 1
	}
	return 0
}

//export calliopePassRun
func calliopePassRun(op, pass unsafe.Pointer, handle C.uintptr_t) {
	passOf(handle).pass.Run(MlirOperation{op}, MlirExternalPass{pass})
}
