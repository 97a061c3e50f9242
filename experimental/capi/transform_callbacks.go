package capi

/*
#include <stdint.h>
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

//export calliopeTransform
func calliopeTransform(op, rewriter, results, state unsafe.Pointer, handle C.uintptr_t) C.uint {
	return C.uint(cgo.Handle(handle).Value().(Transform).Apply(MlirOperation{op}, MlirTransformRewriter{rewriter},
		MlirTransformResults{results}, MlirTransformState{state}))
}

//export calliopeTransformDestruct
func calliopeTransformDestruct(handle C.uintptr_t) { cgo.Handle(handle).Delete() }
