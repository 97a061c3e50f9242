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

//export calliopePatternDestruct
func calliopePatternDestruct(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

//export calliopePatternMatch
func calliopePatternMatch(op, rewriter unsafe.Pointer, handle C.uintptr_t) C.int {
	if cgo.Handle(handle).Value().(PatternFunc)(MlirOperation{op}, MlirPatternRewriter{rewriter}) {
		return 1
	}
	return 0
}

//export calliopePDLCall
func calliopePDLCall(rewriter, results unsafe.Pointer, n C.size_t, values unsafe.Pointer, handle C.uintptr_t) C.int {
	given := unsafe.Slice((*MlirPDLValue)(values), int(n))
	if cgo.Handle(handle).Value().(PDLFunc)(MlirPatternRewriter{rewriter}, MlirPDLResultList{results}, given) {
		return 1
	}
	return 0
}
