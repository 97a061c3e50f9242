package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

extern int calliopeVerify(void* op, uintptr_t handle);
extern void calliopeVerifyDestruct(uintptr_t handle);

// A verifier is the user data of a trait. Its address is the trait's identity, too.
typedef struct {
  uintptr_t handle;
} verifier;

static MlirLogicalResult verify_nothing(MlirOperation op, void* user) { return (MlirLogicalResult){1}; }

static MlirLogicalResult verify_regions(MlirOperation op, void* user) {
  return (MlirLogicalResult){calliopeVerify(op.ptr, ((verifier*)user)->handle)};
}

static void verifier_destruct(void* user) {
  calliopeVerifyDestruct(((verifier*)user)->handle);
  free(user);
}

static bool attach_verifier(const void* table, MlirContext ctx, const char* name, size_t len, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  verifier* v = malloc(sizeof *v);
  if (v == NULL) return false;
  v->handle = handle;
  MlirDynamicOpTraitCallbacks callbacks = {NULL, verifier_destruct, verify_nothing, verify_regions};
  MlirDynamicOpTrait trait = api->mlirDynamicOpTraitCreate(api->mlirTypeIDCreate(v), callbacks, v);
  return api->mlirDynamicOpTraitAttach(trait, (MlirStringRef){(char*)name, len}, ctx);
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// A VerifyFunc reports whether an operation is valid. It must not panic, and may be called from
// any thread.
type VerifyFunc func(MlirOperation) bool

// AttachVerifier makes verification of the operations of a name, which a dialect defined while
// the program runs must have, call f after that of their regions. The context releases f when
// it is destroyed.
func AttachVerifier(t *Table, ctx MlirContext, name string, f VerifyFunc) {
	h := cgo.NewHandle(VerifyFunc(func(op MlirOperation) bool {
		defer t.pause()()
		return f(op)
	}))
	t.enter()
	defer t.leave()
	if !C.attach_verifier(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)), C.uintptr_t(h)) {
		panic("capi: out of memory while attaching a verifier")
	}
}
