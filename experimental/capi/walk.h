#ifndef CALLIOPE_WALK_H
#define CALLIOPE_WALK_H

#include "gen_mlir_api.h"

typedef const calliope_mlir_api* table;

// first_from returns the first operation in block, the blocks after it, and the regions
// after region, or null.
static inline MlirOperation first_from(table api, MlirRegion region, MlirBlock block) {
  for (;;) {
    for (; block.ptr; block = api->mlirBlockGetNextInRegion(block)) {
      MlirOperation op = api->mlirBlockGetFirstOperation(block);
      if (op.ptr) return op;
    }
    region = api->mlirRegionGetNextInOperation(region);
    if (!region.ptr) return (MlirOperation){NULL};
    block = api->mlirRegionGetFirstBlock(region);
  }
}

// first_in returns the first operation directly in the regions of op, or null.
static inline MlirOperation first_in(table api, MlirOperation op) {
  if (api->mlirOperationGetNumRegions(op) == 0) return (MlirOperation){NULL};
  MlirRegion region = api->mlirOperationGetRegion(op, 0);
  return first_from(api, region, api->mlirRegionGetFirstBlock(region));
}

// next_in returns the operation after op directly in the regions of op's parent, or null.
static inline MlirOperation next_in(table api, MlirOperation op) {
  MlirOperation next = api->mlirOperationGetNextInBlock(op);
  if (next.ptr) return next;
  MlirBlock block = api->mlirOperationGetBlock(op);
  return first_from(api, api->mlirBlockGetParentRegion(block), api->mlirBlockGetNextInRegion(block));
}

#endif
