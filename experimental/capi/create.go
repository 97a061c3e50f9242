package capi

/*
#include <stdlib.h>
#include "tops.h"

typedef struct {
  MlirOperation operation;
  MlirValue first; // of its results
  intptr_t lacks;  // the place in required of an attribute that the library did not take, -1 for none
  uintptr_t uses;  // what the operands are in, see common_top; a number, as it may be SEVERAL
} created;

// What uses is if operands are in several outermost objects.
enum { SEVERAL = 1 };

// common_top is the outermost object that all operands are in, SEVERAL if they are in more
// than one, and null if there are none.
static inline uintptr_t common_top(const calliope_mlir_api* api, const uintptr_t* operands, intptr_t n) {
  uintptr_t common = 0;
  for (intptr_t i = 0; i < n; i++) {
    if (i && operands[i] == operands[i - 1]) continue;
    uintptr_t top = (uintptr_t)value_top(api, (MlirValue){(void*)operands[i]});
    if (common && common != top) return SEVERAL;
    common = top;
  }
  return common;
}

// apart reports whether an operand is in another outermost object than the block.
static inline bool apart(const calliope_mlir_api* api, const uintptr_t* operands, intptr_t n, uintptr_t block) {
  void* top = NULL;
  for (intptr_t i = 0; i < n; i++) {
    if (i && operands[i] == operands[i - 1]) continue;
    MlirValue v = {(void*)operands[i]};
    if (value_block(api, v).ptr == (void*)block) continue;
    if (!top) top = block_top(api, (MlirBlock){(void*)block});
    if (value_top(api, v) != top) return true;
  }
  return false;
}

// Handles and arrays of them come as numbers: cgo would look at each pointer.
static inline created create_operation(
    uintptr_t table, const char* name, size_t name_len, uintptr_t location, const uintptr_t* results,
    intptr_t n_results, const uintptr_t* operands, intptr_t n_operands, const uintptr_t* attributes,
    intptr_t n_attributes, const uintptr_t* regions, intptr_t n_regions, const uintptr_t* successors,
    intptr_t n_successors, const uintptr_t* required, intptr_t n_required, bool infer, uintptr_t block,
    uintptr_t before, bool ask) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  uintptr_t uses = 0;
  if (ask) {
    if (!block) uses = common_top(api, operands, n_operands);
    else if (apart(api, operands, n_operands, block)) return (created){{NULL}, {NULL}, -1, SEVERAL};
  }
  MlirOperationState s =
      api->mlirOperationStateGet((MlirStringRef){(char*)name, name_len}, (MlirLocation){(void*)location});
  if (n_results) api->mlirOperationStateAddResults(&s, n_results, (MlirType*)results);
  if (n_operands) api->mlirOperationStateAddOperands(&s, n_operands, (MlirValue*)operands);
  if (n_regions) api->mlirOperationStateAddOwnedRegions(&s, n_regions, (MlirRegion*)regions);
  if (n_successors) api->mlirOperationStateAddSuccessors(&s, n_successors, (MlirBlock*)successors);
  if (n_attributes) api->mlirOperationStateAddAttributes(&s, n_attributes, (MlirNamedAttribute*)attributes);
  if (infer) api->mlirOperationStateEnableResultTypeInference(&s);
  created c = {api->mlirOperationCreate(&s), {NULL}, -1, uses};
  if (!c.operation.ptr) return c;
  for (intptr_t i = 0; i < n_required; i++) {
    MlirStringRef name = api->mlirIdentifierStr((MlirIdentifier){(void*)required[i]});
    if (api->mlirOperationGetAttributeByName(c.operation, name).ptr) continue;
    api->mlirOperationDestroy(c.operation);
    return (created){{NULL}, {NULL}, i, 0};
  }
  if (block)  // at its end if before is null
    api->mlirBlockInsertOwnedOperationBefore((MlirBlock){(void*)block}, (MlirOperation){(void*)before}, c.operation);
  if (api->mlirOperationGetNumResults(c.operation) > 0) c.first = api->mlirOperationGetResult(c.operation, 0);
  return c;
}

// infer_operation is create_operation for an operation with operands and nothing else. It
// makes none if an operand is in another outermost object than the block and it was asked.
static inline created infer_operation(
    uintptr_t table, const char* name, size_t name_len, uintptr_t location, const uintptr_t* operands,
    intptr_t n_operands, uintptr_t block, bool ask) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  created c = {{NULL}, {NULL}, -1, 0};
  if (ask && apart(api, operands, n_operands, block)) return c;
  MlirOperationState s =
      api->mlirOperationStateGet((MlirStringRef){(char*)name, name_len}, (MlirLocation){(void*)location});
  api->mlirOperationStateAddOperands(&s, n_operands, (MlirValue*)operands);
  api->mlirOperationStateEnableResultTypeInference(&s);
  c.operation = api->mlirOperationCreate(&s);
  if (!c.operation.ptr) return c;
  api->mlirBlockAppendOwnedOperation((MlirBlock){(void*)block}, c.operation);
  if (api->mlirOperationGetNumResults(c.operation) > 0) c.first = api->mlirOperationGetResult(c.operation, 0);
  return c;
}

// copy_operation copies an operation to the end of a block and gives the copy other
// operands. It does nothing if their number is another one, if the operation has regions or
// successors, or if it was asked and an operand is in another outermost object.
static inline created copy_operation(
    uintptr_t table, uintptr_t operation, const uintptr_t* operands, intptr_t n_operands, uintptr_t block, bool ask) {
  const calliope_mlir_api* api = (const calliope_mlir_api*)table;
  MlirOperation op = {(void*)operation};
  created c = {{NULL}, {NULL}, -1, 0};
  if (ask && apart(api, operands, n_operands, block)) return c;
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

// Created is a new operation, null if the library made none.
type Created struct {
	Operation MlirOperation
	First     MlirValue // of its results, null if it has none: most callers want it next
	// Lacks is the place in Required of an attribute that the library did not take because
	// it is of another kind, else -1.
	Lacks int
	// Uses is the address of the outermost object that all operands are in, and Several if
	// these are more than one. It is zero if there are no operands, or if it was not asked.
	Uses uintptr
}

// Several is what Created.Uses is if operands are in several outermost objects.
const Several = C.SEVERAL

// CreateOperation makes an operation in one crossing into C: in a block before another operation, at the end of the
// block if that is null, or detached if the block is null. If it is asked, it makes none in a block if an
// operand is in another outermost object than the block, and Uses is Several.
func CreateOperation(
	t *Table, s *OperationState, at MlirLocation, in MlirBlock, before MlirOperation, ask bool,
) Created {
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
		successors, nSuccessors, required, nRequired, C.bool(s.Infer), number(in.Ptr), number(before.Ptr), C.bool(ask))
	t.leave()
	return *(*Created)(unsafe.Pointer(&made))
}

// InferOperation makes an operation that has operands and nothing else, and inferred results,
// at the end of a block, and gives its first result too. It is null if the library made none,
// or if it was asked and an operand is in another outermost object than the block.
func InferOperation(
	t *Table, name string, operands []MlirValue, at MlirLocation, end MlirBlock, ask bool,
) (MlirOperation, MlirValue) {
	values, n := numbers(operands)
	t.enter()
	made := C.infer_operation(t.number(), (*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)),
		number(at.Ptr), values, n, number(end.Ptr), C.bool(ask))
	t.leave()
	return operationFromC(made.operation), *(*MlirValue)(unsafe.Pointer(&made.first))
}

// CopyOperation copies an operation to the end of a block, with other operands, and gives
// the copy's first result too. It is null, and nothing was done, if the operation has
// another number of operands, or regions or successors, or if it was asked and an operand
// is in another outermost object than the block.
func CopyOperation(
	t *Table, op MlirOperation, operands []MlirValue, end MlirBlock, ask bool,
) (MlirOperation, MlirValue) {
	values, n := numbers(operands)
	t.enter()
	made := C.copy_operation(t.number(), number(op.Ptr), values, n, number(end.Ptr), C.bool(ask))
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
