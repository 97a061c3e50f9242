package capi

/*
#include <stdlib.h>
#include "walk.h"

// LEVELS of nesting are too deep for an ordinary stack. No more than MAX_PARTS parts of an
// attribute or type are looked at to find them.
enum { LEVELS = 1000, MAX_PARTS = 1 << 14 };

// An attribute or type, and the number of the part that is looked at next.
typedef struct {
  void* of;
  intptr_t i;
} level;

// The functions attribute_part and type_part return the i-th part, or NULL if there is none.
// They may return LEAF for a part that has no parts itself.
static char leaf;
#define LEAF ((void*)&leaf)

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
  return api->mlirAttributeIsAArray(part) || api->mlirAttributeIsADictionary(part) ? part.ptr : LEAF;
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
  for (int parts = 0; depth > 0 && parts < MAX_PARTS; parts++) {
    level* top = &stack[depth - 1];
    void* next = part(api, top->of, top->i++);
    if (!next) {
      depth--;
    } else if (next != LEAF) {
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

// deep_operation reports whether operations are nested too deep around op and in it. It looks
// at no more than n operations in op.
static int deep_operation(const void* t, void* raw, intptr_t n) {
  table api = t;
  int depth = 0;
  for (MlirBlock block = api->mlirOperationGetBlock((MlirOperation){raw}); block.ptr && depth < LEVELS; depth++) {
    MlirOperation parent = api->mlirBlockGetParentOperation(block);
    if (!parent.ptr) break;
    block = api->mlirOperationGetBlock(parent);
  }
  // The walk needs no stack: the way up is in the operations themselves.
  MlirOperation op = {raw};
  for (; n > 0; n--) {
    if (depth >= LEVELS) return 1;
    MlirOperation next = first_in(api, op);
    if (next.ptr) {
      op = next;
      depth++;
      continue;
    }
    for (; op.ptr != raw; op = api->mlirOperationGetParentOperation(op), depth--)
      if ((next = next_in(api, op)).ptr) break;
    if (!next.ptr) return 0;
    op = next;
  }
  return 0;
}
*/
import "C"

// DeepAttribute reports whether an array or dictionary is nested so deeply that the library
// needs a large stack for it. It looks at no more than 16384 parts.
func DeepAttribute(t *Table, a MlirAttribute) bool {
	t.enter()
	defer t.leave()
	return C.deep_attribute(t.pointer(), a.Ptr) != 0
}

// DeepType reports the same of a tuple or function type.
func DeepType(t *Table, typ MlirType) bool {
	t.enter()
	defer t.leave()
	return C.deep_type(t.pointer(), typ.Ptr) != 0
}

// DeepOperation reports the same of an operation, counting the operations around it. It looks
// at no more than n operations in it.
func DeepOperation(t *Table, op MlirOperation, n int) bool {
	t.enter()
	defer t.leave()
	return C.deep_operation(t.pointer(), op.Ptr, C.intptr_t(n)) != 0
}
