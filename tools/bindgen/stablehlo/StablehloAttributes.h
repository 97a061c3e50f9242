// The attributes of StableHLO.
#ifndef CALLIOPE_STABLEHLO_ATTRIBUTES_H
#define CALLIOPE_STABLEHLO_ATTRIBUTES_H

#include "Macros.h"

// Enumerations.
ENUM_ATTRIBUTE(stablehlo, ComparisonDirection)
ENUM_ATTRIBUTE(stablehlo, ComparisonType)
ENUM_ATTRIBUTE(stablehlo, Precision)
ENUM_ATTRIBUTE(stablehlo, FftType)
ENUM_ATTRIBUTE(stablehlo, Transpose)
ENUM_ATTRIBUTE(stablehlo, RngDistribution)
ENUM_ATTRIBUTE(stablehlo, RngAlgorithm)
ENUM_ATTRIBUTE(stablehlo, ResultAccuracyMode)

// #stablehlo.output_operand_alias
MlirAttribute stablehloOutputOperandAliasGet(MlirContext ctx, intptr_t nOutputTupleIndices,
                                             const int64_t* outputTupleIndices,
                                             int64_t operandIndex, intptr_t nOperandTupleIndices,
                                             const int64_t* operandTupleIndices);
bool stablehloAttributeIsAOutputOperandAlias(MlirAttribute attr);
LIST(stablehloOutputOperandAlias, OutputTupleIndices)
NUMBER(stablehloOutputOperandAlias, OperandIndex)
LIST(stablehloOutputOperandAlias, OperandTupleIndices)

// #stablehlo.channel_handle
MlirAttribute stablehloChannelHandleGet(MlirContext ctx, int64_t handle, int64_t type);
bool stablehloAttributeIsChannelHandle(MlirAttribute attr);
NUMBER(stablehloChannelHandle, Handle)
NUMBER(stablehloChannelHandle, Type)

// #stablehlo.bounds
MlirAttribute stablehloTypeExtensionsGet(MlirContext ctx, intptr_t nBounds, const int64_t* bounds);
bool stablehloAttributeIsTypeExtensions(MlirAttribute attr);
LIST(stablehloTypeExtensions, Bounds)

// #stablehlo.dot
MlirAttribute stablehloDotDimensionNumbersGet(
    MlirContext ctx, intptr_t nLhsBatchingDimensions, const int64_t* lhsBatchingDimensions,
    intptr_t nRhsBatchingDimensions, const int64_t* rhsBatchingDimensions,
    intptr_t nLhsContractingDimensions, const int64_t* lhsContractingDimensions,
    intptr_t nRhsContractingDimensions, const int64_t* rhsContractingDimensions);
bool stablehloAttributeIsADotDimensionNumbers(MlirAttribute attr);
LIST(stablehloDotDimensionNumbers, LhsBatchingDimensions)
LIST(stablehloDotDimensionNumbers, RhsBatchingDimensions)
LIST(stablehloDotDimensionNumbers, LhsContractingDimensions)
LIST(stablehloDotDimensionNumbers, RhsContractingDimensions)

// #stablehlo.dot_algorithm
MlirAttribute stablehloDotAlgorithmGet(MlirContext ctx, MlirType lhsPrecisionType,
                                       MlirType rhsPrecisionType, MlirType accumulationType,
                                       int64_t lhsComponentCount, int64_t rhsComponentCount,
                                       int64_t numPrimitiveOperations,
                                       bool allowImpreciseAccumulation);
bool stablehloAttributeIsADotAlgorithm(MlirAttribute attr);
MlirType stablehloDotAlgorithmGetLhsPrecisionType(MlirAttribute attr);
MlirType stablehloDotAlgorithmGetRhsPrecisionType(MlirAttribute attr);
MlirType stablehloDotAlgorithmGetAccumulationType(MlirAttribute attr);
NUMBER(stablehloDotAlgorithm, LhsComponentCount)
NUMBER(stablehloDotAlgorithm, RhsComponentCount)
NUMBER(stablehloDotAlgorithm, NumPrimitiveOperations)
bool stablehloDotAlgorithmGetAllowImpreciseAccumulation(MlirAttribute attr);

// #stablehlo.conv
MlirAttribute stablehloConvDimensionNumbersGet(
    MlirContext ctx, int64_t inputBatchDimension, int64_t inputFeatureDimension,
    intptr_t nInputSpatialDimensions, const int64_t* inputSpatialDimensions,
    int64_t kernelInputFeatureDimension, int64_t kernelOutputFeatureDimension,
    intptr_t nKernelSpatialDimensions, const int64_t* kernelSpatialDimensions,
    int64_t outputBatchDimension, int64_t outputFeatureDimension,
    intptr_t nOutputSpatialDimensions, const int64_t* outputSpatialDimensions);
bool stablehloAttributeIsAConvDimensionNumbers(MlirAttribute attr);
NUMBER(stablehloConvDimensionNumbers, InputBatchDimension)
NUMBER(stablehloConvDimensionNumbers, InputFeatureDimension)
LIST(stablehloConvDimensionNumbers, InputSpatialDimensions)
NUMBER(stablehloConvDimensionNumbers, KernelInputFeatureDimension)
NUMBER(stablehloConvDimensionNumbers, KernelOutputFeatureDimension)
LIST(stablehloConvDimensionNumbers, KernelSpatialDimensions)
NUMBER(stablehloConvDimensionNumbers, OutputBatchDimension)
NUMBER(stablehloConvDimensionNumbers, OutputFeatureDimension)
LIST(stablehloConvDimensionNumbers, OutputSpatialDimensions)

// #stablehlo.gather
MlirAttribute stablehloGatherDimensionNumbersGet(
    MlirContext ctx, intptr_t nOffsetDims, const int64_t* offsetDims, intptr_t nCollapsedSliceDims,
    const int64_t* collapsedSliceDims, intptr_t nOperandBatchingDims,
    const int64_t* operandBatchingDims, intptr_t nStartIndicesBatchingDims,
    const int64_t* startIndicesBatchingDims, intptr_t nStartIndexMap, const int64_t* startIndexMap,
    int64_t indexVectorDim);
bool stablehloAttributeIsAGatherDimensionNumbers(MlirAttribute attr);
LIST(stablehloGatherDimensionNumbers, OffsetDims)
LIST(stablehloGatherDimensionNumbers, CollapsedSliceDims)
LIST(stablehloGatherDimensionNumbers, OperandBatchingDims)
LIST(stablehloGatherDimensionNumbers, StartIndicesBatchingDims)
LIST(stablehloGatherDimensionNumbers, StartIndexMap)
NUMBER(stablehloGatherDimensionNumbers, IndexVectorDim)

// #stablehlo.scatter
MlirAttribute stablehloScatterDimensionNumbersGet(
    MlirContext ctx, intptr_t nUpdateWindowDims, const int64_t* updateWindowDims,
    intptr_t nInsertedWindowDims, const int64_t* insertedWindowDims, intptr_t nInputBatchingDims,
    const int64_t* inputBatchingDims, intptr_t nScatterIndicesBatchingDims,
    const int64_t* scatterIndicesBatchingDims, intptr_t nScatteredDimsToOperandDims,
    const int64_t* scatteredDimsToOperandDims, int64_t indexVectorDim);
bool stablehloAttributeIsAScatterDimensionNumbers(MlirAttribute attr);
LIST(stablehloScatterDimensionNumbers, UpdateWindowDims)
LIST(stablehloScatterDimensionNumbers, InsertedWindowDims)
LIST(stablehloScatterDimensionNumbers, InputBatchingDims)
LIST(stablehloScatterDimensionNumbers, ScatterIndicesBatchingDims)
LIST(stablehloScatterDimensionNumbers, ScatteredDimsToOperandDims)
// The index_vector_dim of #stablehlo.scatter is exported without "Scatter" in its name.
NUMBER(stablehloDimensionNumbers, IndexVectorDim)

// #stablehlo.result_accuracy
MlirAttribute stablehloResultAccuracyAttrGet(MlirContext ctx, double atol, double rtol,
                                             int64_t ulps, MlirStringRef mode);
bool stablehloAttributeIsAResultAccuracyAttr(MlirAttribute attr);
double stablehloResultAccuracyAttrGetAtol(MlirAttribute attr);
double stablehloResultAccuracyAttrGetRtol(MlirAttribute attr);
int64_t stablehloResultAccuracyAttrGetUlps(MlirAttribute attr);
MlirAttribute stablehloResultAccuracyAttrGetMode(MlirAttribute attr);

#endif
