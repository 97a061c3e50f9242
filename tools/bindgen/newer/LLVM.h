// Types, metadata and debug information of the LLVM dialect.
#ifndef CALLIOPE_NEWER_LLVM_H
#define CALLIOPE_NEWER_LLVM_H

#include "mlir-c/IR.h"

bool mlirTypeIsALLVMArrayType(MlirType type);
MlirTypeID mlirLLVMArrayTypeGetTypeID(void);
unsigned mlirLLVMArrayTypeGetNumElements(MlirType type);
bool mlirTypeIsALLVMFunctionType(MlirType type);
MlirTypeID mlirLLVMFunctionTypeGetTypeID(void);
bool mlirLLVMFunctionTypeIsVarArg(MlirType type);

MlirAttribute mlirLLVMDICompileUnitAttrGetRecSelf(MlirAttribute recId);

MlirAttribute mlirLLVMMDStringAttrGet(MlirContext ctx, MlirStringRef value);
bool mlirLLVMAttrIsAMDStringAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDStringAttrGetTypeID(void);
MlirStringRef mlirLLVMMDStringAttrGetValue(MlirAttribute attr);
MlirAttribute mlirLLVMMDConstantAttrGet(MlirContext ctx, MlirAttribute value);
bool mlirLLVMAttrIsAMDConstantAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDConstantAttrGetTypeID(void);
MlirAttribute mlirLLVMMDConstantAttrGetValue(MlirAttribute attr);
MlirAttribute mlirLLVMMDGlobalValueAttrGet(MlirContext ctx, MlirAttribute name);
bool mlirLLVMAttrIsAMDGlobalValueAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDGlobalValueAttrGetTypeID(void);
MlirAttribute mlirLLVMMDGlobalValueAttrGetName(MlirAttribute attr);
MlirAttribute mlirLLVMMDNodeAttrGet(MlirContext ctx, intptr_t numOperands, const MlirAttribute* operands);
bool mlirLLVMAttrIsAMDNodeAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDNodeAttrGetTypeID(void);
intptr_t mlirLLVMMDNodeAttrGetNumOperands(MlirAttribute attr);
MlirAttribute mlirLLVMMDNodeAttrGetOperand(MlirAttribute attr, intptr_t index);

#endif
