package capi

/*
#include "gen_mlir_api.h"

static void put_map(void* into, intptr_t i, MlirAffineMap m) { ((MlirAffineMap*)into)[i] = m; }

static void compress_symbols(const void* table, MlirAffineMap* maps, intptr_t n, MlirAffineMap* out) {
  const calliope_mlir_api* api = table;
  api->mlirAffineMapCompressUnusedSymbols(maps, n, out, put_map);
}
*/
import "C"

import "unsafe"

// CompressSymbols writes to out the maps without the symbols that none of them uses. The
// slices have the same length and are not empty.
func CompressSymbols(t *Table, maps, out []MlirAffineMap) {
	C.compress_symbols(t.pointer(), (*C.MlirAffineMap)(unsafe.Pointer(&maps[0])), C.intptr_t(len(maps)),
		(*C.MlirAffineMap)(unsafe.Pointer(&out[0])))
}
