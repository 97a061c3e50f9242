package capi

/*
#include <stdlib.h>
#include "walk.h"

// LEVELS of nesting are too deep for an ordinary stack.
enum { LEVELS = 1000 };

// A node is an attribute (a location, too) or a type. There is none if it is NULL.
typedef struct {
  void* of;
  int is_type;
} node;

static node attribute_node(MlirAttribute a) { return (node){a.ptr, 0}; }
static node type_node(MlirType t) { return (node){t.ptr, 1}; }
static node location_node(table api, MlirLocation l) { return attribute_node(api->mlirLocationGetAttribute(l)); }

// The parts of a location can be read since LLVM 21. A fused one is read as a whole, so that it is
// not read if it is long.
static node location_part(table api, MlirLocation l, intptr_t i) {
  enum { LONGEST = 64 };
  MlirLocation parts[LONGEST];
  if (!api->mlirLocationNameGetChildLoc) return (node){NULL};
  if (api->mlirLocationIsAName(l)) return i ? (node){NULL} : location_node(api, api->mlirLocationNameGetChildLoc(l));
  if (api->mlirLocationIsACallSite(l))
    return i == 0   ? location_node(api, api->mlirLocationCallSiteGetCallee(l))
           : i == 1 ? location_node(api, api->mlirLocationCallSiteGetCaller(l))
                    : (node){NULL};
  if (!api->mlirLocationIsAFused(l)) return (node){NULL};
  if (i == 0) {
    MlirAttribute metadata = api->mlirLocationFusedGetMetadata(l);
    if (metadata.ptr) return attribute_node(metadata);
  }
  intptr_t n = api->mlirLocationFusedGetNumLocations(l);
  if (api->mlirLocationFusedGetMetadata(l).ptr) i--;
  if (i >= n || n > LONGEST) return (node){NULL};
  api->mlirLocationFusedGetLocations(l, parts);
  return location_node(api, parts[i]);
}

static node attribute_part(table api, MlirAttribute a, intptr_t i) {
  if (api->mlirAttributeIsAArray(a))
    return i < api->mlirArrayAttrGetNumElements(a) ? attribute_node(api->mlirArrayAttrGetElement(a, i)) : (node){NULL};
  if (api->mlirAttributeIsADictionary(a))
    return i < api->mlirDictionaryAttrGetNumElements(a)
               ? attribute_node(api->mlirDictionaryAttrGetElement(a, i).attribute)
               : (node){NULL};
  if (api->mlirAttributeIsAType(a)) return i ? (node){NULL} : type_node(api->mlirTypeAttrGetValue(a));
  if (api->mlirAttributeIsALocation(a)) return location_part(api, api->mlirLocationFromAttribute(a), i);
  return (node){NULL};
}

// with returns the i-th of an element type and an attribute that may be missing.
static node with(MlirType element, MlirAttribute a, intptr_t i) {
  return i == 0 ? type_node(element) : i == 1 ? attribute_node(a) : (node){NULL};
}

static node type_part(table api, MlirType t, intptr_t i) {
  if (api->mlirTypeIsATuple(t))
    return i < api->mlirTupleTypeGetNumTypes(t) ? type_node(api->mlirTupleTypeGetType(t, i)) : (node){NULL};
  if (api->mlirTypeIsAFunction(t)) {
    intptr_t inputs = api->mlirFunctionTypeGetNumInputs(t);
    if (i < inputs) return type_node(api->mlirFunctionTypeGetInput(t, i));
    return i - inputs < api->mlirFunctionTypeGetNumResults(t)
               ? type_node(api->mlirFunctionTypeGetResult(t, i - inputs))
               : (node){NULL};
  }
  if (api->mlirTypeIsARankedTensor(t))
    return with(api->mlirShapedTypeGetElementType(t), api->mlirRankedTensorTypeGetEncoding(t), i);
  if (api->mlirTypeIsAMemRef(t))
    return with(api->mlirShapedTypeGetElementType(t), api->mlirMemRefTypeGetMemorySpace(t), i);
  if (api->mlirTypeIsAUnrankedMemRef(t))
    return with(api->mlirShapedTypeGetElementType(t), api->mlirUnrankedMemrefGetMemorySpace(t), i);
  return (node){NULL};
}

static node part(table api, node of, intptr_t i) {
  return of.is_type ? type_part(api, (MlirType){of.of}, i) : attribute_part(api, (MlirAttribute){of.of}, i);
}

typedef struct {
  node of;
  intptr_t i;  // the number of the part that is looked at next
} level;

// deep reports whether parts are nested n levels deep in root. It looks at no more than 16 * n.
// stack has room for n levels.
static int deep(table api, node root, intptr_t n, level* stack) {
  intptr_t depth = 0;
  if (root.of) stack[depth++] = (level){root, 0};
  for (intptr_t parts = 0; depth > 0 && depth < n && parts < 16 * n; parts++) {
    level* top = &stack[depth - 1];
    node next = part(api, top->of, top->i++);
    if (next.of)
      stack[depth++] = (level){next, 0};
    else
      depth--;
  }
  return depth == n;
}

static int deep_node(const void* t, void* raw, int is_type, intptr_t n) {
  level* stack = malloc(n * sizeof *stack);
  int found = !stack || deep(t, (node){raw, is_type}, n, stack);
  free(stack);
  return found;
}

// deep_of reports whether the location, an attribute or the type of a result of op is deep.
static int deep_of(table api, MlirOperation op, level* stack) {
  if (deep(api, location_node(api, api->mlirOperationGetLocation(op)), LEVELS, stack)) return 1;
  for (intptr_t i = 0, n = api->mlirOperationGetNumAttributes(op); i < n; i++)
    if (deep(api, attribute_node(api->mlirOperationGetAttribute(op, i).attribute), LEVELS, stack)) return 1;
  for (intptr_t i = 0, n = api->mlirOperationGetNumResults(op); i < n; i++)
    if (deep(api, type_node(api->mlirValueGetType(api->mlirOperationGetResult(op, i))), LEVELS, stack)) return 1;
  return 0;
}

// deep_operation reports whether operations are nested too deep around op and in it. It looks
// at no more than n operations in op, and at their parts if it is given a stack of LEVELS.
static int deep_operation(const void* t, void* raw, intptr_t n, level* stack) {
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
    if (depth >= LEVELS || (stack && deep_of(api, op, stack))) return 1;
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

import "unsafe"

// DeepAttribute reports whether arrays, dictionaries, types and locations are nested n levels
// deep in an attribute. It looks at no more than 16 * n parts.
func DeepAttribute(t *Table, a MlirAttribute, n int) bool {
	t.enter()
	defer t.leave()
	return C.deep_node(t.pointer(), a.Ptr, 0, C.intptr_t(n)) != 0
}

// DeepType reports the same of a type.
func DeepType(t *Table, typ MlirType, n int) bool {
	t.enter()
	defer t.leave()
	return C.deep_node(t.pointer(), typ.Ptr, 1, C.intptr_t(n)) != 0
}

// DeepOperation reports whether operations are nested so deeply around op and in it that the
// library needs a large stack for them. It looks at no more than n operations in it.
func DeepOperation(t *Table, op MlirOperation, n int) bool {
	t.enter()
	defer t.leave()
	return C.deep_operation(t.pointer(), op.Ptr, C.intptr_t(n), nil) != 0
}

// DeepRead is DeepOperation for an operation that was read. It looks at the attributes, types and
// locations of operations, too.
func DeepRead(t *Table, op MlirOperation, n int) bool {
	t.enter()
	defer t.leave()
	stack := (*C.level)(C.malloc(C.LEVELS * C.sizeof_level))
	defer C.free(unsafe.Pointer(stack))
	return C.deep_operation(t.pointer(), op.Ptr, C.intptr_t(n), stack) != 0
}
