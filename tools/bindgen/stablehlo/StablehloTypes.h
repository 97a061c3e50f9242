// The types of StableHLO.
#ifndef CALLIOPE_STABLEHLO_TYPES_H
#define CALLIOPE_STABLEHLO_TYPES_H

#include "mlir-c/IR.h"

MlirType stablehloTokenTypeGet(MlirContext ctx);
bool stablehloTypeIsAToken(MlirType type);

#endif
