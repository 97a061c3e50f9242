// Functions that have another prototype since LLVM 24.
#ifndef CALLIOPE_LLVM24_CHANGED_H
#define CALLIOPE_LLVM24_CHANGED_H

#include "mlir-c/Dialect/LLVM.h"

MlirAttribute mlirLLVMDIStringTypeAttrGet_24(MlirContext ctx, unsigned tag, MlirAttribute name, uint64_t sizeInBits,
                                             uint32_t alignInBits, MlirAttribute stringLength,
                                             MlirAttribute stringLengthExp, MlirAttribute stringLocationExp,
                                             MlirLLVMTypeEncoding encoding, MlirAttribute charType);

#endif
