package capi

/*
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  int kind;
  int on;
  intptr_t index;
} effect;
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

//export calliopeEffects
func calliopeEffects(op unsafe.Pointer, handle C.uintptr_t, effects **C.effect) C.intptr_t {
	list := cgo.Handle(handle).Value().(EffectsFunc)(MlirOperation{op})
	memory := (*C.effect)(C.calloc(C.size_t(len(list)+1), C.size_t(unsafe.Sizeof(C.effect{}))))
	if memory == nil {
		panic("capi: out of memory in a list of effects")
	}
	for i, e := range list {
		unsafe.Slice(memory, len(list))[i] = C.effect{C.int(e.Kind), C.int(e.On), C.intptr_t(e.Index)}
	}
	*effects = memory
	return C.intptr_t(len(list))
}

//export calliopeEffectsDestruct
func calliopeEffectsDestruct(handle C.uintptr_t) { cgo.Handle(handle).Delete() }
