package capi

/*
#include "walk.h"

enum { ENDS = 1, MISPLACED = 2, MANY_BLOCKS = 256 };

// ancestor_in returns the operation in block that is op or around op, or null.
static MlirOperation ancestor_in(table api, MlirOperation op, MlirBlock block) {
  while (op.ptr) {
    MlirBlock at = api->mlirOperationGetBlock(op);
    if (at.ptr == block.ptr) return op;
    op = at.ptr ? api->mlirBlockGetParentOperation(at) : (MlirOperation){NULL};
  }
  return op;
}

// ancestor_block returns the block of the region that op is in. It returns null if op is not
// in the region.
static MlirBlock ancestor_block(table api, MlirOperation op, MlirRegion region) {
  MlirBlock at = {NULL};
  while (op.ptr) {
    at = api->mlirOperationGetBlock(op);
    if (!at.ptr || api->mlirBlockGetParentRegion(at).ptr == region.ptr) return at;
    op = api->mlirBlockGetParentOperation(at);
  }
  return (MlirBlock){NULL};
}

// dominates reports whether every path from the first block of the region to b goes through
// a. It returns false if it would have to visit more than MANY_BLOCKS blocks.
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

// visible reports whether the value is defined before op is reached.
static bool visible(table api, MlirOperation op, MlirValue value) {
  if (!value.ptr) return false;
  bool argument = api->mlirValueIsABlockArgument(value);
  MlirOperation definer = {NULL};
  if (!argument) definer = api->mlirOpResultGetOwner(value);
  MlirBlock block = argument ? api->mlirBlockArgumentGetOwner(value) : api->mlirOperationGetBlock(definer);
  if (!block.ptr) return false;
  MlirOperation user = ancestor_in(api, op, block);
  if (user.ptr) {
    if (argument) return true;
    return definer.ptr != user.ptr && api->mlirOperationIsBeforeInBlock && api->mlirOperationIsBeforeInBlock(definer, user);
  }
  MlirRegion region = api->mlirBlockGetParentRegion(block);
  if (!region.ptr) return false;
  MlirBlock at = ancestor_block(api, op, region);
  return at.ptr && dominates(api, region, block, at);
}

static int check_position(const void* t, MlirOperation op) {
  table api = t;
  int found = 0;
  if (api->mlirOperationGetNumSuccessors(op) > 0 || !api->mlirOperationGetNextInBlock(op).ptr) found = ENDS;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++)
    if (!visible(api, op, api->mlirOperationGetOperand(op, i))) return found | MISPLACED;
  return found;
}
*/
import "C"

// CheckPosition reports whether an operation is the last one in its block or branches, and
// whether an operand seems not to be defined before it.
func CheckPosition(t *Table, op MlirOperation) (ends, misplaced bool) {
	t.enter()
	found := C.check_position(t.pointer(), operationToC(op))
	t.leave()
	return found&C.ENDS != 0, found&C.MISPLACED != 0
}
