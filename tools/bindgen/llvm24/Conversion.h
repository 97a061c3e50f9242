// Dialect conversion: targets, type converters and patterns.
#ifndef CALLIOPE_LLVM24_CONVERSION_H
#define CALLIOPE_LLVM24_CONVERSION_H

#include "../llvm23/Conversion.h"

typedef struct MlirTypeConverterConversionResults { void* ptr; } MlirTypeConverterConversionResults;

typedef enum MlirTypeConverterConversionStatus {
  MlirTypeConverterConversionStatusSuccess,
  MlirTypeConverterConversionStatusFailure,
  MlirTypeConverterConversionStatusDeclined
} MlirTypeConverterConversionStatus;

typedef MlirTypeConverterConversionStatus (*MlirTypeConverterConversionCallback)(MlirType type, MlirType* convertedType,
                                                                                 void* userData);
typedef MlirTypeConverterConversionStatus (*MlirTypeConverter1ToNConversionCallback)(
    MlirType type, MlirTypeConverterConversionResults results, void* userData);
typedef MlirValue (*MlirTypeConverterSourceMaterializationCallback)(MlirRewriterBase rewriter, MlirType outputType,
                                                                    intptr_t nInputs, MlirValue* inputs,
                                                                    MlirLocation loc, void* userData);
typedef MlirValue (*MlirTypeConverterTargetMaterializationCallback)(MlirRewriterBase rewriter, MlirType outputType,
                                                                    intptr_t nInputs, MlirValue* inputs,
                                                                    MlirLocation loc, MlirType originalType,
                                                                    void* userData);
typedef MlirLogicalResult (*MlirTypeConverter1ToNTargetMaterializationCallback)(
    MlirRewriterBase rewriter, intptr_t nOutputTypes, MlirType* outputTypes, intptr_t nInputs, MlirValue* inputs,
    MlirLocation loc, MlirType originalType, MlirValue* outputs, void* userData);

typedef struct MlirConversionPatternCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  MlirLogicalResult (*matchAndRewrite)(MlirConversionPattern pattern, MlirOperation op, intptr_t nOperands,
                                       MlirValue* operands, MlirConversionPatternRewriter rewriter, void* userData);
  MlirLogicalResult (*matchAndRewrite1ToN)(MlirConversionPattern pattern, MlirOperation op, intptr_t nRanges,
                                           intptr_t* rangeSizes, intptr_t nOperands, MlirValue* operands,
                                           MlirConversionPatternRewriter rewriter, void* userData);
} MlirConversionPatternCallbacks;

void mlirTypeConverterAddConversion(MlirTypeConverter typeConverter, MlirTypeConverterConversionCallback convertType,
                                    void* userData);
void mlirTypeConverterAdd1ToNConversion(MlirTypeConverter typeConverter,
                                        MlirTypeConverter1ToNConversionCallback convertType, void* userData);
void mlirTypeConverterConversionResultsAppend(MlirTypeConverterConversionResults results, MlirType type);
void mlirTypeConverterAddSourceMaterialization(MlirTypeConverter typeConverter,
                                               MlirTypeConverterSourceMaterializationCallback materialize,
                                               void* userData);
void mlirTypeConverterAddTargetMaterialization(MlirTypeConverter typeConverter,
                                               MlirTypeConverterTargetMaterializationCallback materialize,
                                               void* userData);
void mlirTypeConverterAdd1ToNTargetMaterialization(MlirTypeConverter typeConverter,
                                                   MlirTypeConverter1ToNTargetMaterializationCallback materialize,
                                                   void* userData);

MlirConversionPattern mlirOpConversionPatternCreate(MlirStringRef rootName, unsigned benefit, MlirContext context,
                                                    MlirTypeConverter typeConverter,
                                                    MlirConversionPatternCallbacks callbacks, void* userData,
                                                    size_t nGeneratedNames, MlirStringRef* generatedNames);
void mlirConversionPatternRewriterReplaceOpWithMultiple(MlirConversionPatternRewriter rewriter, MlirOperation op,
                                                        intptr_t nRanges, intptr_t* rangeSizes, MlirValue* values);

#endif
