// What is around an operation, a block, a region or a value.

#ifndef CALLIOPE_TOPS_H
#define CALLIOPE_TOPS_H

#include "gen_mlir_api.h"

enum { OPERATION, BLOCK, REGION, VALUE };

// block_top is the outermost operation, block or region around a block.
static inline void* block_top(const calliope_mlir_api* api, MlirBlock block) {
  for (;;) {
    MlirOperation parent = api->mlirBlockGetParentOperation(block);
    if (!parent.ptr) {
      void* region = api->mlirBlockGetParentRegion(block).ptr;
      return region ? region : block.ptr;
    }
    block = api->mlirOperationGetBlock(parent);
    if (!block.ptr) return parent.ptr;
  }
}

static inline void* operation_top(const calliope_mlir_api* api, MlirOperation op) {
  MlirBlock block = api->mlirOperationGetBlock(op);
  return block.ptr ? block_top(api, block) : op.ptr;
}

// value_block is the block that a value is made in; null if its operation is in none.
static inline MlirBlock value_block(const calliope_mlir_api* api, MlirValue v) {
  if (api->mlirValueIsABlockArgument(v)) return api->mlirBlockArgumentGetOwner(v);
  return api->mlirOperationGetBlock(api->mlirOpResultGetOwner(v));
}

static inline void* value_top(const calliope_mlir_api* api, MlirValue v) {
  MlirBlock block = value_block(api, v);
  return block.ptr ? block_top(api, block) : api->mlirOpResultGetOwner(v).ptr;
}

// region_parent is the operation that a region is part of. Only a block can ask for it, so
// an empty region is given one for the time of the question.
static inline MlirOperation region_parent(const calliope_mlir_api* api, MlirRegion region) {
  MlirBlock first = api->mlirRegionGetFirstBlock(region);
  if (first.ptr) return api->mlirBlockGetParentOperation(first);
  first = api->mlirBlockCreate(0, NULL, NULL);
  api->mlirRegionAppendOwnedBlock(region, first);
  MlirOperation parent = api->mlirBlockGetParentOperation(first);
  api->mlirBlockDetach(first);
  api->mlirBlockDestroy(first);
  return parent;
}

static inline void* top_of(const calliope_mlir_api* api, int kind, void* raw) {
  MlirOperation parent;
  switch (kind) {
    case OPERATION:
      return operation_top(api, (MlirOperation){raw});
    case BLOCK:
      return block_top(api, (MlirBlock){raw});
    case VALUE:
      return value_top(api, (MlirValue){raw});
  }
  parent = region_parent(api, (MlirRegion){raw});
  return parent.ptr ? operation_top(api, parent) : raw;
}

#endif
