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

// Lists the operations in the regions of an operation, in the order of the text, from the one
// after *at on, and that operation before all others. At the end it sets *at to NULL. It does not
// recurse, because modules may be nested deeply.
static inline intptr_t descendants(uintptr_t table, uintptr_t operation, uintptr_t* at, uintptr_t* into, intptr_t n) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation root = {(void*)operation}, op = {(void*)*at};
  child* out = (child*)into;
  for (intptr_t i = 0; i < n; i++) {
    intptr_t regions = api->mlirOperationGetNumRegions(op);
    out[i] = (child){op, api->mlirOperationGetName(op), regions};
    MlirRegion region = {NULL};
    MlirBlock block = {NULL};
    MlirOperation next = {NULL};
    if (regions > 0) region = api->mlirOperationGetRegion(op, 0);
    if (region.ptr != NULL) block = api->mlirRegionGetFirstBlock(region);
    for (;;) {
      // The first operation in this block, in the blocks after it, and in the regions after them.
      while (region.ptr != NULL) {
        for (; block.ptr != NULL && next.ptr == NULL; block = api->mlirBlockGetNextInRegion(block)) next = api->mlirBlockGetFirstOperation(block);
        if (next.ptr != NULL) break;
        region = api->mlirRegionGetNextInOperation(region);
        if (region.ptr != NULL) block = api->mlirRegionGetFirstBlock(region);
      }
      if (next.ptr != NULL) break;
      if (op.ptr == root.ptr) {
        *at = 0;
        return i + 1;
      }
      next = api->mlirOperationGetNextInBlock(op);
      if (next.ptr != NULL) break;
      block = api->mlirOperationGetBlock(op);
      op = api->mlirBlockGetParentOperation(block);
      region = api->mlirBlockGetParentRegion(block);
      block = api->mlirBlockGetNextInRegion(block);
    }
    op = next;
  }
  *at = (uintptr_t)op.ptr;
  return n;
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
	"iter"
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
		n := int(C.children(t.number(), number(op.Ptr), (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(free))),
			C.intptr_t(len(free))))
		t.leave()
		if n <= len(free) {
			return into[:start+n]
		}
		into = slices.Grow(into, n)
	}
}

// Descendants returns an iterator over op and the operations in its regions, in the order of the
// text, in lists of the given length, of which only the last one is shorter. Each overwrites the
// one before.
func Descendants(t *Table, op MlirOperation, length int) iter.Seq[[]Child] {
	return func(yield func([]Child) bool) {
		list := make([]Child, length)
		at := C.uintptr_t(number(op.Ptr))
		for at != 0 {
			t.enter()
			n := int(C.descendants(t.number(), number(op.Ptr), &at,
				(*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(list))), C.intptr_t(len(list))))
			t.leave()
			if !yield(list[:n]) {
				return
			}
		}
	}
}

// Operations returns the operations of a block, in order.
func Operations(t *Table, block MlirBlock) []MlirOperation {
	into := make([]MlirOperation, 16)
	for {
		t.enter()
		n := int(C.operations(t.number(), number(block.Ptr), (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(into))),
			C.intptr_t(len(into))))
		t.leave()
		if n <= len(into) {
			return into[:n]
		}
		into = make([]MlirOperation, n)
	}
}
