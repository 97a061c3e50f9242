package capi

/*
#include "gen_mlir_api.h"

extern void calliopePatternDestruct(uintptr_t handle);
extern int calliopePatternMatch(void* op, void* rewriter, uintptr_t handle);
extern int calliopePDLCall(void* rewriter, void* results, size_t n, void* values, uintptr_t handle);

static void pattern_destruct(void* user) { calliopePatternDestruct((uintptr_t)user); }
static MlirLogicalResult pattern_match(MlirRewritePattern pattern, MlirOperation op,
                                       MlirPatternRewriter rewriter, void* user) {
  return (MlirLogicalResult){(int8_t)calliopePatternMatch(op.ptr, rewriter.ptr, (uintptr_t)user)};
}
static MlirLogicalResult pdl_call(MlirPatternRewriter rewriter, MlirPDLResultList results,
                                  size_t n, MlirPDLValue* values, void* user) {
  return (MlirLogicalResult){
      (int8_t)calliopePDLCall(rewriter.ptr, results.ptr, n, values, (uintptr_t)user)};
}

static MlirRewritePattern create_pattern(const void* table, MlirContext ctx, const char* root,
                                         size_t root_len, unsigned benefit, intptr_t n_names,
                                         MlirStringRef* names, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirRewritePatternCallbacks callbacks = {NULL, pattern_destruct, pattern_match};
  return api->mlirOpRewritePatternCreate((MlirStringRef){(char*)root, root_len}, benefit, ctx,
                                         callbacks, (void*)handle, n_names, names);
}

static void register_pdl(const void* table, MlirPDLPatternModule module, const char* name,
                         size_t name_len, bool constraint, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirStringRef called = {(char*)name, name_len};
  if (constraint)
    api->mlirPDLPatternModuleRegisterConstraintFunction(module, called, pdl_call, (void*)handle);
  else
    api->mlirPDLPatternModuleRegisterRewriteFunction(module, called, pdl_call, (void*)handle);
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// A PatternFunc reports whether it rewrote an operation. It must not panic.
type PatternFunc func(MlirOperation, MlirPatternRewriter) bool

// CreatePattern creates a pattern, which a pattern set must take over.
func CreatePattern(
	t *Table, ctx MlirContext, root string, benefit int, generates []string, match PatternFunc,
) MlirRewritePattern {
	names, free := stringRefs(generates)
	defer free() // the library has read them by then
	called := PatternFunc(func(op MlirOperation, r MlirPatternRewriter) bool {
		defer t.pause()()
		return match(op, r)
	})
	t.enter()
	defer t.leave()
	p := C.create_pattern(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(root))), C.size_t(len(root)),
		C.uint(benefit), C.intptr_t(len(generates)), (*C.MlirStringRef)(unsafe.Pointer(&names[0])),
		C.uintptr_t(cgo.NewHandle(called)))
	return *(*MlirRewritePattern)(unsafe.Pointer(&p))
}

// A PDLFunc is a constraint or a rewrite that PDL calls by name. It must not panic.
type PDLFunc func(MlirPatternRewriter, MlirPDLResultList, []MlirPDLValue) bool

// RegisterPDL registers a function in a PDL module. The returned function releases it, and
// must be called after the patterns of the module were destroyed.
func RegisterPDL(t *Table, m MlirPDLPatternModule, name string, constraint bool, f PDLFunc) (forget func()) {
	h := cgo.NewHandle(PDLFunc(func(r MlirPatternRewriter, results MlirPDLResultList, values []MlirPDLValue) bool {
		defer t.pause()()
		return f(r, results, values)
	}))
	t.enter()
	defer t.leave()
	C.register_pdl(t.pointer(), *(*C.MlirPDLPatternModule)(unsafe.Pointer(&m)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)), C.bool(constraint), C.uintptr_t(h))
	return h.Delete
}
