package capi

/*
#include <string.h>
#include "gen_mlir_api.h"

typedef struct {
  bool ok;
  MlirAttribute replacement; // the copy's attribute of the name that was left out, or null
} verification;

// verify_bare makes a copy of an operation that has empty regions and lacks the attribute
// of that name, and verifies it if that is asked.
static inline verification verify_bare(
    uintptr_t table, uintptr_t operation, const char* without, size_t length, bool verify) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation op = {(void*)operation};
  MlirOperationState s =
      api->mlirOperationStateGet(api->mlirIdentifierStr(api->mlirOperationGetName(op)), api->mlirOperationGetLocation(op));
  for (intptr_t i = 0, n = api->mlirOperationGetNumResults(op); i < n; i++) {
    MlirType type = api->mlirValueGetType(api->mlirOperationGetResult(op, i));
    api->mlirOperationStateAddResults(&s, 1, &type);
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue operand = api->mlirOperationGetOperand(op, i);
    api->mlirOperationStateAddOperands(&s, 1, &operand);
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++) {
    MlirBlock successor = api->mlirOperationGetSuccessor(op, i);
    api->mlirOperationStateAddSuccessors(&s, 1, &successor);
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumRegions(op); i < n; i++) {
    MlirRegion region = api->mlirRegionCreate();
    api->mlirOperationStateAddOwnedRegions(&s, 1, &region);
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumAttributes(op); i < n; i++) {
    MlirNamedAttribute a = api->mlirOperationGetAttribute(op, i);
    MlirStringRef name = api->mlirIdentifierStr(a.name);
    if (name.length == length && !memcmp(name.data, without, length)) continue;
    api->mlirOperationStateAddAttributes(&s, 1, &a);
  }
  MlirOperation bare = api->mlirOperationCreate(&s);
  verification v = {false, {NULL}};
  if (!bare.ptr) return v;
  if (length) v.replacement = api->mlirOperationGetAttributeByName(bare, (MlirStringRef){(char*)without, length});
  v.ok = verify && api->mlirOperationVerify(bare);
  api->mlirOperationDestroy(bare);
  return v;
}
*/
import "C"

import "unsafe"

// VerifyBare verifies a copy of an operation that has empty regions and lacks the attribute of
// that name, if the name is not empty. It also returns the default with which the library has
// replaced that attribute, or null.
func VerifyBare(t *Table, op MlirOperation, without string) (ok bool, replacement MlirAttribute) {
	t.enter()
	v := C.verify_bare(t.number(), number(op.Ptr), (*C.char)(unsafe.Pointer(unsafe.StringData(without))),
		C.size_t(len(without)), true)
	t.leave()
	return bool(v.ok), *(*MlirAttribute)(unsafe.Pointer(&v.replacement))
}

// DefaultAttribute returns the default that the library gives the operation in place of the
// attribute of that name, or null.
func DefaultAttribute(t *Table, op MlirOperation, name string) MlirAttribute {
	if name == "" {
		return MlirAttribute{}
	}
	t.enter()
	v := C.verify_bare(t.number(), number(op.Ptr), (*C.char)(unsafe.Pointer(unsafe.StringData(name))),
		C.size_t(len(name)), false)
	t.leave()
	return *(*MlirAttribute)(unsafe.Pointer(&v.replacement))
}
