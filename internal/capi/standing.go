package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

typedef const calliope_mlir_api* table;

enum { ENDS = 1, MISPLACED = 2, MANY_BLOCKS = 256 };

// The operation that stands in block and is op, or is around it; null where none is.
static MlirOperation ancestor_in(table api, MlirOperation op, MlirBlock block) {
  while (op.ptr) {
    MlirBlock at = api->mlirOperationGetBlock(op);
    if (at.ptr == block.ptr) return op;
    op = at.ptr ? api->mlirBlockGetParentOperation(at) : (MlirOperation){NULL};
  }
  return op;
}

// The block of the region that op stands in, null where there is none.
static MlirBlock ancestor_block(table api, MlirOperation op, MlirRegion region) {
  MlirBlock at = {NULL};
  while (op.ptr) {
    at = api->mlirOperationGetBlock(op);
    if (!at.ptr || api->mlirBlockGetParentRegion(at).ptr == region.ptr) return at;
    op = api->mlirBlockGetParentOperation(at);
  }
  return (MlirBlock){NULL};
}

// dominates reports whether every way from the first block of the region to b goes
// through a. Where that would take long to find out it says no.
static bool dominates(table api, MlirRegion region, MlirBlock a, MlirBlock b) {
  MlirBlock first = api->mlirRegionGetFirstBlock(region);
  if (a.ptr == first.ptr) return true;
  if (b.ptr == first.ptr || !api->mlirBlockGetNumSuccessors) return false;
  MlirBlock reached[MANY_BLOCKS] = {first};
  int n = 1;
  for (int i = 0; i < n; i++)
    for (intptr_t s = 0, count = api->mlirBlockGetNumSuccessors(reached[i]); s < count; s++) {
      MlirBlock next = api->mlirBlockGetSuccessor(reached[i], s);
      bool known = next.ptr == a.ptr || !next.ptr;
      for (int j = 0; j < n && !known; j++) known = reached[j].ptr == next.ptr;
      if (known) continue;
      if (next.ptr == b.ptr || n == MANY_BLOCKS) return false;
      reached[n++] = next;
    }
  return true;
}

// visible reports whether the value is made before op is reached.
static bool visible(table api, MlirOperation op, MlirValue value) {
  if (!value.ptr) return false;
  bool argument = api->mlirValueIsABlockArgument(value);
  MlirOperation maker = {NULL};
  if (!argument) maker = api->mlirOpResultGetOwner(value);
  MlirBlock block = argument ? api->mlirBlockArgumentGetOwner(value) : api->mlirOperationGetBlock(maker);
  if (!block.ptr) return false;
  MlirOperation user = ancestor_in(api, op, block);
  if (user.ptr) {
    if (argument) return true;
    return maker.ptr != user.ptr && api->mlirOperationIsBeforeInBlock && api->mlirOperationIsBeforeInBlock(maker, user);
  }
  MlirRegion region = api->mlirBlockGetParentRegion(block);
  if (!region.ptr) return false;
  MlirBlock at = ancestor_block(api, op, region);
  return at.ptr && dominates(api, region, block, at);
}

static int standing(const void* t, MlirOperation op) {
  table api = t;
  int found = 0;
  if (api->mlirOperationGetNumSuccessors(op) > 0 || !api->mlirOperationGetNextInBlock(op).ptr) found = ENDS;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++)
    if (!visible(api, op, api->mlirOperationGetOperand(op, i))) return found | MISPLACED;
  return found;
}
*/
import "C"

// Standing is what is remarkable about the place of an operation in a block: whether it is
// the last one or branches, and whether an operand seems not to be made before it.
func Standing(t *Table, op MlirOperation) (ends, misplaced bool) {
	t.enter()
	found := C.standing(t.pointer(), goOperation(op))
	t.leave()
	return found&C.ENDS != 0, found&C.MISPLACED != 0
}
