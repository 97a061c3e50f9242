package capi

/*
#include "gen_mlir_api.h"

typedef struct {
  MlirOperation operation;
  MlirIdentifier name;
  intptr_t regions;
} child;

static inline intptr_t children(uintptr_t table, uintptr_t operation, uintptr_t* room, intptr_t n) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation parent = {(void*)operation};
  child* out = (child*)room;
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

static inline intptr_t operations(uintptr_t table, uintptr_t block, uintptr_t* room, intptr_t n) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  intptr_t found = 0;
  MlirOperation op = api->mlirBlockGetFirstOperation((MlirBlock){(void*)block});
  for (; op.ptr != NULL; op = api->mlirOperationGetNextInBlock(op), found++)
    if (found < n) room[found] = (uintptr_t)op.ptr;
  return found;
}
*/
import "C"

import (
	"slices"
	"unsafe"
)

// Child is an operation in a region of another one, its name, and how many regions it
// has itself.
type Child struct {
	Operation MlirOperation
	Name      MlirIdentifier
	Regions   int
}

// AppendChildren appends the operations in the regions of op, in order, at no more
// than two crossings into C: one where the room that into has left is enough.
func AppendChildren(t *Table, op MlirOperation, into []Child) []Child {
	for {
		start := len(into)
		room := into[start:cap(into)]
		t.enter()
		n := int(C.children(t.number(), number(op.Ptr), (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(room))), C.intptr_t(len(room))))
		t.leave()
		if n <= len(room) {
			return into[:start+n]
		}
		into = slices.Grow(into, n)
	}
}

// Operations lists the operations of a block, in order.
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
