package capi

/*
#include "gen_mlir_api.h"

typedef struct {
  MlirOperation operation;
  MlirValue first; // of its results
  intptr_t lacks;  // the index in required of an attribute that the operation lacks, or -1
} created;

// Handles and arrays of them are passed as numbers: cgo would check each pointer.
static inline created create_operation(
    uintptr_t table, const char* name, size_t name_len, uintptr_t location, const uintptr_t* results,
    intptr_t n_results, const uintptr_t* operands, intptr_t n_operands, const uintptr_t* attributes,
    intptr_t n_attributes, const uintptr_t* regions, intptr_t n_regions, const uintptr_t* successors,
    intptr_t n_successors, const uintptr_t* required, intptr_t n_required, bool infer, uintptr_t block) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperationState s =
      api->mlirOperationStateGet((MlirStringRef){(char*)name, name_len}, (MlirLocation){(void*)location});
  if (n_results) api->mlirOperationStateAddResults(&s, n_results, (MlirType*)results);
  if (n_operands) api->mlirOperationStateAddOperands(&s, n_operands, (MlirValue*)operands);
  if (n_regions) api->mlirOperationStateAddOwnedRegions(&s, n_regions, (MlirRegion*)regions);
  if (n_successors) api->mlirOperationStateAddSuccessors(&s, n_successors, (MlirBlock*)successors);
  if (n_attributes) api->mlirOperationStateAddAttributes(&s, n_attributes, (MlirNamedAttribute*)attributes);
  if (infer) api->mlirOperationStateEnableResultTypeInference(&s);
  created c = {api->mlirOperationCreate(&s), {NULL}, -1};
  if (!c.operation.ptr) return c;
  for (intptr_t i = 0; i < n_required; i++) {
    MlirStringRef name = api->mlirIdentifierStr((MlirIdentifier){(void*)required[i]});
    if (api->mlirOperationGetAttributeByName(c.operation, name).ptr) continue;
    api->mlirOperationDestroy(c.operation);
    return (created){{NULL}, {NULL}, i};
  }
  if (block) api->mlirBlockAppendOwnedOperation((MlirBlock){(void*)block}, c.operation);
  if (api->mlirOperationGetNumResults(c.operation) > 0) c.first = api->mlirOperationGetResult(c.operation, 0);
  return c;
}

// copy_operation copies an operation to the end of a block, with other operands. It does
// nothing and returns null if the operation has another number of operands, or has regions or
// successors.
static inline created copy_operation(
    uintptr_t table, uintptr_t operation, const uintptr_t* operands, intptr_t n_operands, uintptr_t block) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation op = {(void*)operation};
  created c = {{NULL}, {NULL}, -1};
  if (api->mlirOperationGetNumOperands(op) != n_operands || api->mlirOperationGetNumRegions(op) > 0 ||
      api->mlirOperationGetNumSuccessors(op) > 0)
    return c;
  c.operation = api->mlirOperationClone(op);
  for (intptr_t i = 0; i < n_operands; i++)
    api->mlirOperationSetOperand(c.operation, i, (MlirValue){(void*)operands[i]});
  api->mlirBlockAppendOwnedOperation((MlirBlock){(void*)block}, c.operation);
  if (api->mlirOperationGetNumResults(c.operation) > 0) c.first = api->mlirOperationGetResult(c.operation, 0);
  return c;
}

static inline MlirValue result_at(uintptr_t table, uintptr_t operation, intptr_t i) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation op = {(void*)operation};
  if (i < 0 || i >= api->mlirOperationGetNumResults(op)) return (MlirValue){NULL};
  return api->mlirOperationGetResult(op, i);
}
*/
import "C"

import "unsafe"

// An OperationState holds the parts of a new operation.
type OperationState struct {
	Name       string
	Results    []MlirType
	Operands   []MlirValue
	Attributes []MlirNamedAttribute
	Regions    []MlirRegion // owned by the operation, also if creating it fails
	Successors []MlirBlock
	Required   []MlirIdentifier // the attributes that the new operation must have
	Infer      bool
}

// CreateOperation creates an operation in one call into C, at the end of a block, or detached
// if the block is null. It returns null if type inference failed, or if the operation lacks a
// required attribute because the library ignored one of another kind: lacks is the index of
// that attribute, and -1 otherwise. It also returns the first result, or null if there is
// none: most callers need it next.
func CreateOperation(t *Table, s *OperationState, at MlirLocation, end MlirBlock) (op MlirOperation, result MlirValue, lacks int) {
	results, nResults := numbers(s.Results)
	operands, nOperands := numbers(s.Operands)
	attributes, nAttributes := numbers(s.Attributes)
	regions, nRegions := numbers(s.Regions)
	successors, nSuccessors := numbers(s.Successors)
	required, nRequired := numbers(s.Required)
	t.enter()
	made := C.create_operation(t.number(),
		(*C.char)(unsafe.Pointer(unsafe.StringData(s.Name))), C.size_t(len(s.Name)), number(at.Ptr),
		results, nResults, operands, nOperands, attributes, nAttributes, regions, nRegions,
		successors, nSuccessors, required, nRequired, C.bool(s.Infer), number(end.Ptr))
	t.leave()
	return operationFromC(made.operation), *(*MlirValue)(unsafe.Pointer(&made.first)), int(made.lacks)
}

// CopyOperation copies an operation to the end of a block, with other operands. It also
// returns the copy's first result. It does nothing and returns null if the operation has
// another number of operands, or has regions or successors.
func CopyOperation(t *Table, op MlirOperation, operands []MlirValue, end MlirBlock) (MlirOperation, MlirValue) {
	values, n := numbers(operands)
	t.enter()
	made := C.copy_operation(t.number(), number(op.Ptr), values, n, number(end.Ptr))
	t.leave()
	return operationFromC(made.operation), *(*MlirValue)(unsafe.Pointer(&made.first))
}

// ResultAt returns the i-th result of an operation, or null if there is none.
func ResultAt(t *Table, op MlirOperation, i int) MlirValue {
	t.enter()
	v := C.result_at(t.number(), number(op.Ptr), C.intptr_t(i))
	t.leave()
	return *(*MlirValue)(unsafe.Pointer(&v))
}

// number converts a handle for a call into C, and numbers an array of handles or of pairs of
// handles.
func number(p unsafe.Pointer) C.uintptr_t { return C.uintptr_t(uintptr(p)) }

func numbers[T any](s []T) (*C.uintptr_t, C.intptr_t) {
	return (*C.uintptr_t)(unsafe.Pointer(unsafe.SliceData(s))), C.intptr_t(len(s))
}

// number converts the table for functions that are called often.
func (t *Table) number() C.uintptr_t { return number(unsafe.Pointer(t.functions)) }
