package capi

/*
#include "gen_mlir_api.h"

// shape writes the dimensions of a type, INT64_MIN for unknown ones, if there is room for all of them. It returns
// their number, or -1 if the type has none.
static intptr_t shape(uintptr_t table, uintptr_t type, int64_t* dims, intptr_t room) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirType t = {(void*)type};
  if (!api->mlirTypeIsAShaped(t) || !api->mlirShapedTypeHasRank(t)) return -1;
  intptr_t rank = api->mlirShapedTypeGetRank(t);
  for (intptr_t i = 0; rank <= room && i < rank; i++)
    dims[i] = api->mlirShapedTypeIsDynamicDim(t, i) ? INT64_MIN : api->mlirShapedTypeGetDimSize(t, i);
  return rank;
}
*/
import "C"

import "unsafe"

// Shape reads the dimensions of a tensor, memref or vector type, math.MinInt64 for unknown ones, into a slice that has
// room for all of them. It returns their number, or -1 if the type has none.
func Shape(t *Table, typ MlirType, dims []int64) int {
	t.enter()
	n := C.shape(t.number(), number(typ.Ptr), (*C.int64_t)(unsafe.SliceData(dims)), C.intptr_t(len(dims)))
	t.leave()
	return int(n)
}
