package c

/*
#include "mlir_table.h"
*/
import "C"

import "unsafe"

// MLIRTable makes the function table of the MLIR C API from the library's exported
// symbols (calliope_mlir_api in gen_mlir_api.h; internal/capi calls through it).
func (l *Library) MLIRTable() unsafe.Pointer { return C.calliope_mlir_table(l.handle) }

// RegisterDialects inserts every dialect of the library into an MlirDialectRegistry.
func (l *Library) RegisterDialects(table, registry unsafe.Pointer) {
	C.calliope_mlir_register_dialects(l.handle, table, registry)
}
