// Types, metadata and debug information of the LLVM dialect.
#ifndef CALLIOPE_LLVM23_LLVM_H
#define CALLIOPE_LLVM23_LLVM_H

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
MlirAttribute mlirLLVMMDNodeAttrGet(MlirContext ctx, intptr_t numOperands, const MlirAttribute* operands);
bool mlirLLVMAttrIsAMDNodeAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDNodeAttrGetTypeID(void);
intptr_t mlirLLVMMDNodeAttrGetNumOperands(MlirAttribute attr);
MlirAttribute mlirLLVMMDNodeAttrGetOperand(MlirAttribute attr, intptr_t index);

// Only LLVM 23 has these. LLVM 24 has mlirLLVMMDGlobalValueAttrGet and others in place of them.
MlirAttribute mlirLLVMMDFuncAttrGet(MlirContext ctx, MlirAttribute name);
bool mlirLLVMAttrIsAMDFuncAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDFuncAttrGetTypeID(void);
MlirAttribute mlirLLVMMDFuncAttrGetName(MlirAttribute attr);

#endif
