// Types, metadata and debug information of the LLVM dialect.
#ifndef CALLIOPE_LLVM24_LLVM_H
#define CALLIOPE_LLVM24_LLVM_H

#include "../llvm23/LLVM.h"

MlirAttribute mlirLLVMMDGlobalValueAttrGet(MlirContext ctx, MlirAttribute name);
bool mlirLLVMAttrIsAMDGlobalValueAttr(MlirAttribute attr);
MlirTypeID mlirLLVMMDGlobalValueAttrGetTypeID(void);
MlirAttribute mlirLLVMMDGlobalValueAttrGetName(MlirAttribute attr);

#endif
