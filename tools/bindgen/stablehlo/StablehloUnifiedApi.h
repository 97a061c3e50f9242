// The reference interpreter.
#ifndef CALLIOPE_STABLEHLO_UNIFIED_API_H
#define CALLIOPE_STABLEHLO_UNIFIED_API_H

#include "mlir-c/IR.h"

// Returns an array attribute of the results.
MlirAttribute stablehloEvalModule(MlirModule module, int nArgs, const MlirAttribute* args,
                                  int* errorCode);

#endif
