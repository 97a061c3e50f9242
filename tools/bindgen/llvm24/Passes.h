// Passes that have other names than in the newest release, or are new.
#ifndef CALLIOPE_LLVM24_PASSES_H
#define CALLIOPE_LLVM24_PASSES_H

#include "../llvm23/Passes.h"

MlirPass mlirCreateConversionConvertACCToLLVMPass(void);
void mlirRegisterConversionConvertACCToLLVMPass(void);
MlirPass mlirCreateConversionRaiseSCFToAffinePass(void);
void mlirRegisterConversionRaiseSCFToAffinePass(void);
MlirPass mlirCreateLinalgLinalgCategorizeOpsPass(void);
void mlirRegisterLinalgLinalgCategorizeOpsPass(void);

#endif
