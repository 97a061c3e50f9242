// Functions that have another prototype since LLVM 23.
#ifndef CALLIOPE_LLVM23_CHANGED_H
#define CALLIOPE_LLVM23_CHANGED_H

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/IR.h"

MlirAttribute mlirLLVMDICompositeTypeAttrGet_23(MlirContext ctx, MlirAttribute recId, bool isRecSelf, unsigned tag,
                                                MlirAttribute name, MlirAttribute file, uint32_t line,
                                                MlirAttribute scope, MlirAttribute baseType, int64_t flags,
                                                uint64_t sizeInBits, uint64_t alignInBits, intptr_t nElements,
                                                const MlirAttribute* elements, MlirAttribute dataLocation,
                                                MlirAttribute rank, MlirAttribute allocated, MlirAttribute associated,
                                                MlirAttribute identifier, MlirAttribute discriminator);
MlirAttribute mlirLLVMDIDerivedTypeAttrGet_23(MlirContext ctx, unsigned tag, MlirAttribute name, MlirAttribute file,
                                              uint32_t line, MlirAttribute scope, MlirAttribute baseType,
                                              uint64_t sizeInBits, uint32_t alignInBits, uint64_t offsetInBits,
                                              int64_t dwarfAddressSpace, int64_t flags, MlirAttribute extraData);
MlirAttribute mlirLLVMDICompileUnitAttrGet_23(MlirContext ctx, MlirAttribute recId, bool isRecSelf, MlirAttribute id,
                                              unsigned sourceLanguage, MlirAttribute file, MlirAttribute producer,
                                              bool isOptimized, MlirLLVMDIEmissionKind emissionKind,
                                              bool isDebugInfoForProfiling, MlirLLVMDINameTableKind nameTableKind,
                                              MlirAttribute splitDebugFilename, intptr_t nImportedEntities,
                                              const MlirAttribute* importedEntities);

MlirLogicalResult mlirTranslateModuleToSMTLIB_23(MlirModule module, MlirStringCallback callback, void* userData,
                                                 bool inlineSingleUseValues, bool indentLetBody, bool emitReset);
MlirLogicalResult mlirTranslateOperationToSMTLIB_23(MlirOperation op, MlirStringCallback callback, void* userData,
                                                    bool inlineSingleUseValues, bool indentLetBody, bool emitReset);

#endif
