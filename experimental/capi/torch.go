package capi

/*
#include "gen_mlir_api.h"

static void register_torch(void* f, MlirContext context) { ((void (*)(MlirContext))f)(context); }

static void register_handle(const void* table, void* f, MlirContext context) {
  const calliope_mlir_api* api = table;
  api->mlirDialectHandleRegisterDialect(((MlirDialectHandle (*)(void))f)(), context);
}
*/
import "C"

import "unsafe"

// Torch reports whether the library is torch-mlir's.
func (t *Table) Torch() bool { return t.lib.Symbol("torchMlirRegisterAllDialects") != nil }

// RegisterTorch registers the dialect torch of torch-mlir's library in a context. If all is
// set, it registers and loads every dialect of that library that has a function for it.
func (t *Table) RegisterTorch(context MlirContext, all bool) {
	t.enter()
	defer t.leave()
	c := *(*C.MlirContext)(unsafe.Pointer(&context))
	if handle := t.lib.Symbol("mlirGetDialectHandle__torch__"); handle != nil && !all {
		C.register_handle(t.pointer(), handle, c)
		return
	}
	C.register_torch(t.lib.Symbol("torchMlirRegisterAllDialects"), c)
}
