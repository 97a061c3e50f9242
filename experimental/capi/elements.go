package capi

/*
#include <stdlib.h>
#include "buffer.h"
#include "walk.h"

// A list of attributes and types, each once, in the order in which they were found. The address of
// a type has the lowest bit set.
typedef struct {
  void** found;
  size_t n, capacity;
  uint32_t* slots;  // a hash table with open addressing: positions in found, from 1
  size_t slot_count;
  bool failed;
} parts;

static uint32_t* part_slot(parts* l, void* a) {
  size_t i = (size_t)((uint64_t)(uintptr_t)a * 0x9e3779b97f4a7c15 >> 32);
  for (;; i++) {
    uint32_t* at = &l->slots[i & (l->slot_count - 1)];
    if (!*at || l->found[*at - 1] == a) return at;
  }
}

static void add_part(parts* l, void* a) {
  if (l->failed || !a) return;
  if (2 * l->n >= l->slot_count) {
    size_t more = l->slot_count ? 4 * l->slot_count : 64;
    uint32_t* slots = calloc(more, sizeof *slots);
    if (!slots) {
      l->failed = true;
      return;
    }
    free(l->slots);
    l->slots = slots, l->slot_count = more;
    for (size_t i = 0; i < l->n; i++) *part_slot(l, l->found[i]) = (uint32_t)(i + 1);
  }
  uint32_t* at = part_slot(l, a);
  if (*at) return;
  void** found = grow(l->found, &l->capacity, l->n + 1, sizeof *found);
  if (!found) {
    l->failed = true;
    return;
  }
  l->found = found;
  l->found[l->n++] = a;
  *at = (uint32_t)l->n;
}

static void add_type(parts* l, MlirType t) {
  if (t.ptr) add_part(l, (char*)t.ptr + 1);
}

// Adds what an attribute is made of.
static void add_attribute_parts(table api, MlirAttribute a, parts* l) {
  add_type(l, api->mlirAttributeGetType(a));
  if (api->mlirAttributeIsAArray(a)) {
    for (intptr_t i = 0, n = api->mlirArrayAttrGetNumElements(a); i < n; i++)
      add_part(l, api->mlirArrayAttrGetElement(a, i).ptr);
  } else if (api->mlirAttributeIsADictionary(a)) {
    for (intptr_t i = 0, n = api->mlirDictionaryAttrGetNumElements(a); i < n; i++)
      add_part(l, api->mlirDictionaryAttrGetElement(a, i).attribute.ptr);
  } else if (api->mlirAttributeIsASparseElements(a)) {
    add_part(l, api->mlirSparseElementsAttrGetIndices(a).ptr);
    add_part(l, api->mlirSparseElementsAttrGetValues(a).ptr);
  } else if (api->mlirAttributeIsAType(a)) {
    add_type(l, api->mlirTypeAttrGetValue(a));
  }
}

// Adds what a type is made of.
static void add_type_parts(table api, MlirType t, parts* l) {
  if (api->mlirTypeIsARankedTensor(t)) {
    add_part(l, api->mlirRankedTensorTypeGetEncoding(t).ptr);
    add_type(l, api->mlirShapedTypeGetElementType(t));
  } else if (api->mlirTypeIsATuple(t)) {
    for (intptr_t i = 0, n = api->mlirTupleTypeGetNumTypes(t); i < n; i++) add_type(l, api->mlirTupleTypeGetType(t, i));
  } else if (api->mlirTypeIsAFunction(t)) {
    for (intptr_t i = 0, n = api->mlirFunctionTypeGetNumInputs(t); i < n; i++) add_type(l, api->mlirFunctionTypeGetInput(t, i));
    for (intptr_t i = 0, n = api->mlirFunctionTypeGetNumResults(t); i < n; i++) add_type(l, api->mlirFunctionTypeGetResult(t, i));
  }
}

// Lists the attributes of a kind that the attributes and results of root, and of the operations in its regions, are
// made of. If root is null, the list has the parts to begin with.
static void list_parts(table api, MlirOperation root, bool (*kind)(MlirAttribute), parts* l) {
  MlirOperation op = root;
  while (op.ptr) {
    for (intptr_t i = 0, n = api->mlirOperationGetNumAttributes(op); i < n; i++)
      add_part(l, api->mlirOperationGetAttribute(op, i).attribute.ptr);
    for (intptr_t i = 0, n = api->mlirOperationGetNumResults(op); i < n; i++)
      add_type(l, api->mlirValueGetType(api->mlirOperationGetResult(op, i)));
    MlirOperation next = first_in(api, op);
    for (; !next.ptr && op.ptr != root.ptr; op = api->mlirOperationGetParentOperation(op)) next = next_in(api, op);
    op = next;
  }
  for (size_t at = 0; at < l->n && !l->failed; at++) {
    char* part = l->found[at];
    if ((uintptr_t)part & 1)
      add_type_parts(api, (MlirType){part - 1}, l);
    else
      add_attribute_parts(api, (MlirAttribute){part}, l);
  }
  size_t kept = 0;
  for (size_t i = 0; i < l->n; i++)
    if (!((uintptr_t)l->found[i] & 1) && kind((MlirAttribute){l->found[i]})) l->found[kept++] = l->found[i];
  l->n = kept;
}

static void** elements_in(uintptr_t t, void* op, void* part, bool resources, size_t* n, bool* failed) {
  table api = (table)t;
  parts l = {0};
  if (part) add_part(&l, part);
  list_parts(api, (MlirOperation){op},
             resources ? api->mlirAttributeIsADenseResourceElements : api->mlirAttributeIsADenseElements, &l);
  free(l.slots);
  *n = l.n, *failed = l.failed;
  return l.found;
}

// The API tells where the elements are, and not how many. Their number is next to their address in
// the attribute's storage, after its kind, its type, which takes two words, and in some releases a word
// with a flag. The flag takes one byte of it, and the others are what the memory had before, so this word
// may look like the address: look behind it first.
static intptr_t dense_stored(uintptr_t t, void* a) {
  void** storage = a;
  const void* data = ((table)t)->mlirDenseElementsAttrGetRawData((MlirAttribute){a});
  if (!data) return 0;
  for (int i = 4; i >= 3; i--)
    if (storage[i] == data) return (intptr_t)storage[i + 1];
  return -1;
}
*/
import "C"

import "unsafe"

// DenseIn returns the dense elements in the attributes and result types of an operation and of
// those in its regions, each once. It does not look into attributes and types of dialects, nor
// into locations.
func DenseIn(t *Table, op MlirOperation) []MlirAttribute { return elementsIn(t, op.Ptr, nil, false) }

// ResourcesIn returns the dense resource elements, as DenseIn does.
func ResourcesIn(t *Table, op MlirOperation) []MlirAttribute { return elementsIn(t, op.Ptr, nil, true) }

// DenseInAttribute returns those in an attribute.
func DenseInAttribute(t *Table, a MlirAttribute) []MlirAttribute {
	return elementsIn(t, nil, a.Ptr, false)
}

// DenseInType returns those in a type.
func DenseInType(t *Table, typ MlirType) []MlirAttribute {
	return elementsIn(t, nil, unsafe.Add(typ.Ptr, 1), false)
}

func elementsIn(t *Table, op, part unsafe.Pointer, resources bool) []MlirAttribute {
	var n C.size_t
	var failed C.bool
	t.enter()
	found := C.elements_in(t.number(), op, part, C.bool(resources), &n, &failed)
	t.leave()
	defer C.free(unsafe.Pointer(found))
	if failed {
		panic("mlir: out of memory while attributes were listed")
	}
	return append([]MlirAttribute(nil), unsafe.Slice((*MlirAttribute)(unsafe.Pointer(found)), int(n))...)
}

// DenseStored returns how many bytes, or strings, dense elements store. It returns -1 if that is
// not known.
func DenseStored(t *Table, a MlirAttribute) int {
	t.enter()
	defer t.leave()
	return int(C.dense_stored(t.number(), a.Ptr))
}
