package capi

/*
#include "gen_mlir_api.h"

static MlirLogicalResult translate_smtlib(void* f, MlirOperation op, MlirStringCallback write, void* user, bool inline_uses,
                                          bool indent, bool reset) {
  return ((MlirLogicalResult (*)(MlirOperation, MlirStringCallback, void*, bool, bool, bool))f)(op, write, user, inline_uses,
                                                                                                indent, reset);
}
*/
import "C"

import "unsafe"

// TranslateSMTLIB calls mlirTranslateOperationToSMTLIB, which has a parameter more since LLVM 23:
// whether solvers end with a reset. Earlier releases have the other parameters in the same
// registers, and do not read this one: they always write the reset.
func TranslateSMTLIB(
	t *Table, op MlirOperation, write MlirStringCallback, user unsafe.Pointer, inline, indent, reset bool,
) (ok bool) {
	f := t.lib.Symbol("mlirTranslateOperationToSMTLIB")
	if f == nil {
		missing("mlirTranslateOperationToSMTLIB")
	}
	t.enter()
	defer t.leave()
	return C.translate_smtlib(f, *(*C.MlirOperation)(unsafe.Pointer(&op)),
		*(*C.MlirStringCallback)(unsafe.Pointer(&write)), user,
		C.bool(inline), C.bool(indent), C.bool(reset)).value != 0
}
