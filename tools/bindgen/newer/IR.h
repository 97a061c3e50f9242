// Functions on operations and values.
#ifndef CALLIOPE_NEWER_IR_H
#define CALLIOPE_NEWER_IR_H

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

typedef struct MlirIRMapping { void* ptr; } MlirIRMapping;

typedef bool (*MlirOpOperandReplaceFilterCallback)(MlirOpOperand operand, void* userData);

// The bits of flags say what is ignored: 1 locations, 2 discardable attributes, 4 properties,
// 8 that operands of commutative operations may be in any order.
bool mlirOperationIsStructurallyEquivalent(MlirOperation lhs, MlirOperation rhs, uint32_t flags);
size_t mlirOperationStructuralHashValue(MlirOperation op, uint32_t flags);
MlirOpOperand mlirOperationGetOpOperand(MlirOperation op, intptr_t pos);
bool mlirOperationNameHasTrait(MlirStringRef opName, MlirTypeID traitTypeID, MlirContext context);
void mlirValueReplaceUsesWithIf(MlirValue of, MlirValue with, MlirOpOperandReplaceFilterCallback filter,
                                void* userData);
MlirDialect mlirContextGetLoadedDialect(MlirContext context, MlirStringRef name);

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
MlirType mlirFloat8E5M3FNUTypeGet(MlirContext ctx);
MlirTypeID mlirFloat8E5M3FNUTypeGetTypeID(void);
MlirStringRef mlirFloat8E5M3FNUTypeGetName(void);
bool mlirTypeIsAFloat8E5M3FNU(MlirType type);

// Where a rewriter inserts: before point or, if that is null, at the end of block.
typedef struct MlirRewriterInsertionPoint {
  MlirBlock block;
  MlirOperation point;
} MlirRewriterInsertionPoint;

MlirRewriterInsertionPoint mlirRewriterBaseSaveInsertionPoint(MlirRewriterBase rewriter);
void mlirRewriterBaseRestoreInsertionPoint(MlirRewriterBase rewriter, MlirRewriterInsertionPoint at);

int mlirLlvmThreadPoolGetMaxConcurrency(MlirLlvmThreadPool pool);

typedef struct MlirLlvmRawFdOStream { void* ptr; } MlirLlvmRawFdOStream;

MlirLlvmRawFdOStream mlirLlvmRawFdOStreamCreate(const char* path, bool binary, MlirStringCallback onError,
                                                void* userData);
void mlirLlvmRawFdOStreamWrite(MlirLlvmRawFdOStream stream, MlirStringRef text);
bool mlirLlvmRawFdOStreamIsNull(MlirLlvmRawFdOStream stream);
void mlirLlvmRawFdOStreamDestroy(MlirLlvmRawFdOStream stream);

// Only IREE's library has these.
bool mlirOperationIsAncestor(MlirOperation op, MlirOperation other);
bool mlirOperationIsProperAncestor(MlirOperation op, MlirOperation other);
MlirStringRef mlirSymbolTableGetDefaultVisibilityAttributeName(void);
MlirOperation mlirDialectMaterializeConstant(MlirDialect dialect, MlirRewriterBase rewriter, MlirAttribute value,
                                             MlirType type, MlirLocation location);
void mlirContextBeginTransientScope(MlirContext context);
void mlirContextEndTransientScope(MlirContext context);
bool mlirContextIsInTransientScope(MlirContext context);
void mlirEmitWarning(MlirLocation location, const char* message);
void mlirEmitRemark(MlirLocation location, const char* message);

#endif
