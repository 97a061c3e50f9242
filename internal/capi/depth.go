package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

typedef const calliope_mlir_api* table;

// The levels that are too deep for a common stack, and how much is looked at to find them.
enum { LEVELS = 1000, LOOKS = 1 << 14 };

// Something that is looked at: the i-th part of it comes next.
typedef struct {
  void* of;
  intptr_t i;
} level;

// One function for each kind gives the i-th part, NULL where there is none; a part that has
// no parts itself may be given as SKIP.
static char skip_mark;
#define SKIP ((void*)&skip_mark)

static void* attribute_part(table api, void* of, intptr_t i) {
  MlirAttribute a = {of}, part;
  if (api->mlirAttributeIsAArray(a)) {
    if (i >= api->mlirArrayAttrGetNumElements(a)) return NULL;
    part = api->mlirArrayAttrGetElement(a, i);
  } else if (api->mlirAttributeIsADictionary(a)) {
    if (i >= api->mlirDictionaryAttrGetNumElements(a)) return NULL;
    part = api->mlirDictionaryAttrGetElement(a, i).attribute;
  } else {
    return NULL;
  }
  return api->mlirAttributeIsAArray(part) || api->mlirAttributeIsADictionary(part) ? part.ptr : SKIP;
}

static void* type_part(table api, void* of, intptr_t i) {
  MlirType t = {of};
  if (api->mlirTypeIsATuple(t)) return i < api->mlirTupleTypeGetNumTypes(t) ? api->mlirTupleTypeGetType(t, i).ptr : NULL;
  if (!api->mlirTypeIsAFunction(t)) return NULL;
  intptr_t inputs = api->mlirFunctionTypeGetNumInputs(t);
  if (i < inputs) return api->mlirFunctionTypeGetInput(t, i).ptr;
  return i - inputs < api->mlirFunctionTypeGetNumResults(t) ? api->mlirFunctionTypeGetResult(t, i - inputs).ptr : NULL;
}

static int deep(table api, void* root, void* (*part)(table, void*, intptr_t)) {
  level* stack = malloc(LEVELS * sizeof *stack);
  if (!stack) return 1;
  int depth = 0, found = 0;
  stack[depth++] = (level){root, 0};
  for (int looks = 0; depth > 0 && looks < LOOKS; looks++) {
    level* top = &stack[depth - 1];
    void* next = part(api, top->of, top->i++);
    if (!next) {
      depth--;
    } else if (next != SKIP) {
      if (depth == LEVELS) {
        found = 1;
        break;
      }
      stack[depth++] = (level){next, 0};
    }
  }
  free(stack);
  return found;
}

static int deep_attribute(const void* t, void* raw) { return deep(t, raw, attribute_part); }
static int deep_type(const void* t, void* raw) { return deep(t, raw, type_part); }

// deep_operation reports whether operations are nested too deep around op and in it.
static int deep_operation(const void* t, void* raw, intptr_t looks) {
  table api = t;
  MlirOperation op = {raw};
  int around = 0;
  for (MlirBlock block = api->mlirOperationGetBlock(op); block.ptr && around < LEVELS; around++) {
    MlirOperation parent = api->mlirBlockGetParentOperation(block);
    if (!parent.ptr) break;
    block = api->mlirOperationGetBlock(parent);
  }
  // Operations in order, with the depth of each: there is no other stack than the tree.
  int depth = around;
  MlirOperation at = op;
  for (intptr_t n = 0; n < looks; n++) {
    if (depth >= LEVELS) return 1;
    MlirOperation inner = {NULL};
    for (intptr_t r = 0, regions = api->mlirOperationGetNumRegions(at); r < regions && !inner.ptr; r++)
      for (MlirBlock b = api->mlirRegionGetFirstBlock(api->mlirOperationGetRegion(at, r)); b.ptr && !inner.ptr;
           b = api->mlirBlockGetNextInRegion(b))
        inner = api->mlirBlockGetFirstOperation(b);
    if (inner.ptr) {
      at = inner;
      depth++;
      continue;
    }
    while (at.ptr != raw) {
      MlirOperation next = api->mlirOperationGetNextInBlock(at);
      if (next.ptr) {
        at = next;
        break;
      }
      MlirBlock block = api->mlirOperationGetBlock(at);
      MlirOperation parent = api->mlirBlockGetParentOperation(block);
      for (block = api->mlirBlockGetNextInRegion(block); block.ptr; block = api->mlirBlockGetNextInRegion(block))
        if ((next = api->mlirBlockGetFirstOperation(block)).ptr) break;
      if (!next.ptr) { // the region after this one
        bool past = false;
        MlirRegion own = api->mlirBlockGetParentRegion(api->mlirOperationGetBlock(at));
        for (intptr_t r = 0, regions = api->mlirOperationGetNumRegions(parent); r < regions && !next.ptr; r++) {
          MlirRegion region = api->mlirOperationGetRegion(parent, r);
          if (past)
            for (MlirBlock b = api->mlirRegionGetFirstBlock(region); b.ptr && !next.ptr; b = api->mlirBlockGetNextInRegion(b))
              next = api->mlirBlockGetFirstOperation(b);
          past = past || region.ptr == own.ptr;
        }
      }
      if (next.ptr) {
        at = next;
        break;
      }
      at = parent;
      depth--;
    }
    if (at.ptr == raw) return 0;
  }
  return 0;
}
*/
import "C"

import "unsafe"

// The following report whether something is nested so deeply that the library needs a
// large stack for it. They look at no more than some thousands of its parts.

// DeepAttribute reports it of an array or dictionary.
func DeepAttribute(t *Table, a MlirAttribute) bool {
	t.enter()
	defer t.leave()
	return C.deep_attribute(t.pointer(), a.Ptr) != 0
}

// DeepType reports it of a tuple or function type.
func DeepType(t *Table, typ MlirType) bool {
	t.enter()
	defer t.leave()
	return C.deep_type(t.pointer(), typ.Ptr) != 0
}

// DeepOperation reports it of an operation, with what it stands in. It looks at so many
// operations.
func DeepOperation(t *Table, op MlirOperation, looks int) bool {
	t.enter()
	defer t.leave()
	return C.deep_operation(t.pointer(), unsafe.Pointer(op.Ptr), C.intptr_t(looks)) != 0
}
