package capi

/*
#cgo noescape create_operation
#include <stdlib.h>
#include "gen_mlir_api.h"

static inline MlirOperation create_operation(
    const void* table, const char* name, size_t name_len, MlirLocation location,
    const MlirType* results, intptr_t n_results, const MlirValue* operands, intptr_t n_operands,
    const MlirNamedAttribute* attributes, intptr_t n_attributes, const MlirRegion* regions,
    intptr_t n_regions, const MlirBlock* successors, intptr_t n_successors, bool infer) {
  const calliope_mlir_api* api = table;
  MlirOperationState s = api->mlirOperationStateGet((MlirStringRef){(char*)name, name_len}, location);
  if (n_results) api->mlirOperationStateAddResults(&s, n_results, (MlirType*)results);
  if (n_operands) api->mlirOperationStateAddOperands(&s, n_operands, (MlirValue*)operands);
  if (n_regions) api->mlirOperationStateAddOwnedRegions(&s, n_regions, (MlirRegion*)regions);
  if (n_successors) api->mlirOperationStateAddSuccessors(&s, n_successors, (MlirBlock*)successors);
  if (n_attributes) api->mlirOperationStateAddAttributes(&s, n_attributes, (MlirNamedAttribute*)attributes);
  if (infer) api->mlirOperationStateEnableResultTypeInference(&s);
  return api->mlirOperationCreate(&s);
}
*/
import "C"

import "unsafe"

// OperationState is what an operation is made of.
type OperationState struct {
	Name       string
	Location   MlirLocation
	Results    []MlirType
	Operands   []MlirValue
	Attributes []MlirNamedAttribute
	Regions    []MlirRegion // owned by the operation from then on, also when it fails
	Successors []MlirBlock
	Infer      bool
}

// CreateOperation makes a detached operation in one crossing into C. It is null
// where type inference failed.
func CreateOperation(t *Table, s *OperationState) MlirOperation {
	op := C.create_operation(t.pointer(),
		(*C.char)(unsafe.Pointer(unsafe.StringData(s.Name))), C.size_t(len(s.Name)),
		*(*C.MlirLocation)(unsafe.Pointer(&s.Location)),
		(*C.MlirType)(unsafe.Pointer(unsafe.SliceData(s.Results))), C.intptr_t(len(s.Results)),
		(*C.MlirValue)(unsafe.Pointer(unsafe.SliceData(s.Operands))), C.intptr_t(len(s.Operands)),
		(*C.MlirNamedAttribute)(unsafe.Pointer(unsafe.SliceData(s.Attributes))), C.intptr_t(len(s.Attributes)),
		(*C.MlirRegion)(unsafe.Pointer(unsafe.SliceData(s.Regions))), C.intptr_t(len(s.Regions)),
		(*C.MlirBlock)(unsafe.Pointer(unsafe.SliceData(s.Successors))), C.intptr_t(len(s.Successors)),
		C.bool(s.Infer))
	return *(*MlirOperation)(unsafe.Pointer(&op))
}
