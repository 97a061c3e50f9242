package capi

/*
#include "gen_mlir_api.h"

typedef struct {
  MlirOperation operation;
  MlirIdentifier name;
  intptr_t regions;
} child;

static inline intptr_t children(uintptr_t table, uintptr_t operation, uintptr_t* into, intptr_t n) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation parent = {(void*)operation};
  child* out = (child*)into;
  intptr_t found = 0;
  for (intptr_t i = 0, regions = api->mlirOperationGetNumRegions(parent); i < regions; i++) {
    MlirBlock b = api->mlirRegionGetFirstBlock(api->mlirOperationGetRegion(parent, i));
    for (; b.ptr != NULL; b = api->mlirBlockGetNextInRegion(b)) {
      MlirOperation op = api->mlirBlockGetFirstOperation(b);
      for (; op.ptr != NULL; op = api->mlirOperationGetNextInBlock(op), found++) {
        if (found < n) out[found] = (child){op, api->mlirOperationGetName(op), api->mlirOperationGetNumRegions(op)};
      }
    }
  }
  return found;
}

static inline intptr_t operations(uintptr_t table, uintptr_t block, uintptr_t* into, intptr_t n) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  intptr_t found = 0;
  MlirOperation op = api->mlirBlockGetFirstOperation((MlirBlock){(void*)block});
  for (; op.ptr != NULL; op = api->mlirOperationGetNextInBlock(op), found++)
    if (found < n) into[found] = (uintptr_t)op.ptr;
  return found;
}
*/
import "C"

import (
	"slices"
	"unsafe"
)

// A Child is an operation in a region of another one, its name, and its number of regions.
type Child struct {
	Operation MlirOperation
	Name      MlirIdentifier
	Regions   int
}

// AppendChildren appends the operations in the regions of op, in order. It calls C once if
// the capacity of into is enough, and twice if not.
func AppendChildren(t *Table, op MlirOperation, into []Child) []Child {
	for {
		start := len(into)
		free := into[start:cap(into)]
		t.enter()
		n := int(C.children(t.number(), number(op.Ptr), (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(free))), C.intptr_t(len(free))))
		t.leave()
		if n <= len(free) {
			return into[:start+n]
		}
		into = slices.Grow(into, n)
	}
}

// Operations returns the operations of a block, in order.
func Operations(t *Table, block MlirBlock) []MlirOperation {
	into := make([]MlirOperation, 16)
	for {
		t.enter()
		n := int(C.operations(t.number(), number(block.Ptr), (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(into))), C.intptr_t(len(into))))
		t.leave()
		if n <= len(into) {
			return into[:n]
		}
		into = make([]MlirOperation, n)
	}
}
