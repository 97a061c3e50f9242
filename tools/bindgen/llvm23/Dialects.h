// Functions of further dialects.
#ifndef CALLIOPE_LLVM23_DIALECTS_H
#define CALLIOPE_LLVM23_DIALECTS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/IR.h"

MlirLinalgConvolutionDimensions mlirLinalgInferConvolutionDimensionsFromMaps(const MlirAffineMap* maps, size_t numMaps);

MlirTypeID mlirSMTBitVectorTypeGetTypeID(void);
MlirTypeID mlirSMTBoolTypeGetTypeID(void);
MlirTypeID mlirSMTIntTypeGetTypeID(void);

#endif
