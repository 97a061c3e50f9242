package capi

/*
#include <stdint.h>
*/
import "C"

import (
	"runtime/cgo"
	"slices"
	"unsafe"
)

//export calliopeConversionDestruct
func calliopeConversionDestruct(handle C.uintptr_t) { cgo.Handle(handle).Delete() }

//export calliopeLegality
func calliopeLegality(op unsafe.Pointer, handle C.uintptr_t) C.int {
	return C.int(cgo.Handle(handle).Value().(LegalityFunc)(MlirOperation{op}))
}

//export calliopeConvertType
func calliopeConvertType(typ, results unsafe.Pointer, handle C.uintptr_t) C.int {
	e := cgo.Handle(handle).Value().(*converterEntry)
	to, ok := e.Convert(MlirType{typ})
	if !ok {
		return C.int(MlirTypeConverterConversionStatusFailure)
	}
	defer e.table.pause()()
	for _, t := range to {
		e.table.append(results, t)
	}
	return C.int(MlirTypeConverterConversionStatusSuccess)
}

// append adds a type to the results of a conversion, while the library waits for them.
func (t *Table) append(results unsafe.Pointer, typ MlirType) {
	MlirTypeConverterConversionResultsAppend(t, MlirTypeConverterConversionResults{results}, typ)
}

// copied returns a copy of n elements that the library has.
func copied[T any](n C.intptr_t, at unsafe.Pointer) []T {
	return slices.Clone(unsafe.Slice((*T)(at), int(n)))
}

//export calliopeMaterializeSource
func calliopeMaterializeSource(
	rewriter, typ unsafe.Pointer, n C.intptr_t, inputs, loc unsafe.Pointer, handle C.uintptr_t,
) unsafe.Pointer {
	e := cgo.Handle(handle).Value().(*converterEntry)
	return e.Source(MlirRewriterBase{rewriter}, MlirType{typ}, copied[MlirValue](n, inputs), MlirLocation{loc}).Ptr
}

//export calliopeMaterializeTarget
func calliopeMaterializeTarget(
	rewriter unsafe.Pointer, nTypes C.intptr_t, types unsafe.Pointer, n C.intptr_t, inputs, loc, original,
	outputs unsafe.Pointer, handle C.uintptr_t,
) C.int {
	e := cgo.Handle(handle).Value().(*converterEntry)
	out := unsafe.Slice((*MlirValue)(outputs), int(nTypes))
	if e.Target(MlirRewriterBase{rewriter}, copied[MlirType](nTypes, types), copied[MlirValue](n, inputs),
		MlirLocation{loc}, MlirType{original}, out) {
		return 1
	}
	return 0
}

//export calliopeConvert
func calliopeConvert(
	op unsafe.Pointer, nRanges C.intptr_t, sizes unsafe.Pointer, n C.intptr_t, operands, rewriter unsafe.Pointer,
	handle C.uintptr_t,
) C.int {
	f := cgo.Handle(handle).Value().(ConversionFunc)
	if f(MlirOperation{op}, copied[int](nRanges, sizes), copied[MlirValue](n, operands),
		MlirConversionPatternRewriter{rewriter}) {
		return 1
	}
	return 0
}
