// Functions on operations and values.
#ifndef CALLIOPE_LLVM23_IR_H
#define CALLIOPE_LLVM23_IR_H

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

typedef struct MlirIRMapping { void* ptr; } MlirIRMapping;

MlirOpOperand mlirOperationGetOpOperand(MlirOperation op, intptr_t pos);
bool mlirOperationNameHasTrait(MlirStringRef opName, MlirTypeID traitTypeID, MlirContext context);

MlirIRMapping mlirIRMappingCreate(void);
void mlirIRMappingDestroy(MlirIRMapping mapping);
void mlirIRMappingClear(MlirIRMapping mapping);
void mlirIRMappingMapValue(MlirIRMapping mapping, MlirValue from, MlirValue to);
void mlirIRMappingMapBlock(MlirIRMapping mapping, MlirBlock from, MlirBlock to);
void mlirIRMappingMapOperation(MlirIRMapping mapping, MlirOperation from, MlirOperation to);
MlirValue mlirIRMappingLookupOrDefaultValue(MlirIRMapping mapping, MlirValue from);
MlirValue mlirIRMappingLookupOrNullValue(MlirIRMapping mapping, MlirValue from);
MlirBlock mlirIRMappingLookupOrDefaultBlock(MlirIRMapping mapping, MlirBlock from);
MlirBlock mlirIRMappingLookupOrNullBlock(MlirIRMapping mapping, MlirBlock from);
MlirOperation mlirIRMappingLookupOrDefaultOperation(MlirIRMapping mapping, MlirOperation from);
MlirOperation mlirIRMappingLookupOrNullOperation(MlirIRMapping mapping, MlirOperation from);
bool mlirIRMappingContainsValue(MlirIRMapping mapping, MlirValue value);
bool mlirIRMappingContainsBlock(MlirIRMapping mapping, MlirBlock block);
bool mlirIRMappingContainsOperation(MlirIRMapping mapping, MlirOperation op);
void mlirIRMappingEraseValue(MlirIRMapping mapping, MlirValue value);
void mlirIRMappingEraseBlock(MlirIRMapping mapping, MlirBlock block);
void mlirIRMappingEraseOperation(MlirIRMapping mapping, MlirOperation op);
MlirOperation mlirOperationCloneWithMapping(MlirOperation op, MlirIRMapping mapping);
MlirOperation mlirRewriterBaseCloneWithMapping(MlirRewriterBase rewriter, MlirOperation op, MlirIRMapping mapping);

MlirAttribute mlirIntegerAttrGetFromWords(MlirType type, unsigned numWords, const uint64_t* words);
unsigned mlirIntegerAttrGetValueBitWidth(MlirAttribute attr);
unsigned mlirIntegerAttrGetValueNumWords(MlirAttribute attr);
void mlirIntegerAttrGetValueWords(MlirAttribute attr, uint64_t* words);

MlirAttribute mlirDistinctAttrCreate(MlirAttribute referencedAttr);
MlirTypeID mlirDenseTypedElementsAttrGetTypeID(void);
bool mlirLocationIsAUnknown(MlirLocation location);
MlirTypeID mlirLocationUnknownGetTypeID(void);

int mlirLlvmThreadPoolGetMaxConcurrency(MlirLlvmThreadPool pool);

typedef struct MlirLlvmRawFdOStream { void* ptr; } MlirLlvmRawFdOStream;

MlirLlvmRawFdOStream mlirLlvmRawFdOStreamCreate(const char* path, bool binary, MlirStringCallback onError,
                                                void* userData);
void mlirLlvmRawFdOStreamWrite(MlirLlvmRawFdOStream stream, MlirStringRef text);
bool mlirLlvmRawFdOStreamIsNull(MlirLlvmRawFdOStream stream);
void mlirLlvmRawFdOStreamDestroy(MlirLlvmRawFdOStream stream);

#endif
