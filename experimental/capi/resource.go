package capi

/*
#include <stdint.h>
#include "gen_mlir_api.h"

extern void calliopeResourceReleased(uintptr_t handle);

static void resource_released(void* user, void* data, size_t size, size_t align) {
  (void)data; (void)size; (void)align;
  calliopeResourceReleased((uintptr_t)user);
}

static MlirAttribute new_resource(const void* table, MlirType type, const char* name, size_t name_len,
    void* data, size_t size, size_t align, bool is_mutable, uintptr_t released) {
  const calliope_mlir_api* api = table;
  return api->mlirUnmanagedDenseResourceElementsAttrGet(type, (MlirStringRef){(char*)name, name_len},
      data, size, align, is_mutable, resource_released, (void*)released);
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// NewResource creates dense resource elements on memory that must stay where it is: Go's
// memory must be pinned. released is called once, when the library no longer uses it, during a call
// for the context. It must not lead to the context, which would never be garbage.
func NewResource(
	t *Table, typ MlirType, name string, data unsafe.Pointer, size, align int, mutable bool, released func(),
) MlirAttribute {
	t.enter()
	defer t.leave()
	raw := C.new_resource(t.pointer(), *(*C.MlirType)(unsafe.Pointer(&typ)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)),
		data, C.size_t(size), C.size_t(align), C.bool(mutable), C.uintptr_t(cgo.NewHandle(released)))
	return *(*MlirAttribute)(unsafe.Pointer(&raw))
}

//export calliopeResourceReleased
func calliopeResourceReleased(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	released := h.Value().(func())
	h.Delete()
	released()
}
