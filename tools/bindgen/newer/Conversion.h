// Dialect conversion: targets, type converters and patterns.
#ifndef CALLIOPE_NEWER_CONVERSION_H
#define CALLIOPE_NEWER_CONVERSION_H

#include "mlir-c/Rewrite.h"

typedef struct MlirConversionTarget { void* ptr; } MlirConversionTarget;
typedef struct MlirConversionPattern { const void* ptr; } MlirConversionPattern;
typedef struct MlirTypeConverter { void* ptr; } MlirTypeConverter;
typedef struct MlirTypeConverterConversionResults { void* ptr; } MlirTypeConverterConversionResults;
typedef struct MlirConversionPatternRewriter { void* ptr; } MlirConversionPatternRewriter;
typedef struct MlirConversionConfig { void* ptr; } MlirConversionConfig;

typedef enum MlirDialectConversionFoldingMode {
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_NEVER,
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_BEFORE_PATTERNS,
  MLIR_DIALECT_CONVERSION_FOLDING_MODE_AFTER_PATTERNS
} MlirDialectConversionFoldingMode;

typedef enum MlirConversionTargetLegality {
  MLIR_CONVERSION_TARGET_LEGALITY_LEGAL,
  MLIR_CONVERSION_TARGET_LEGALITY_ILLEGAL,
  MLIR_CONVERSION_TARGET_LEGALITY_NO_OPINION
} MlirConversionTargetLegality;

typedef enum MlirTypeConverterConversionStatus {
  MlirTypeConverterConversionStatusSuccess,
  MlirTypeConverterConversionStatusFailure,
  MlirTypeConverterConversionStatusDeclined
} MlirTypeConverterConversionStatus;

typedef MlirConversionTargetLegality (*MlirConversionTargetDynamicLegalityCallback)(MlirOperation op, void* userData);
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

MlirLogicalResult mlirApplyPartialConversion(MlirOperation op, MlirConversionTarget target,
                                             MlirFrozenRewritePatternSet patterns, MlirConversionConfig config);
MlirLogicalResult mlirApplyFullConversion(MlirOperation op, MlirConversionTarget target,
                                          MlirFrozenRewritePatternSet patterns, MlirConversionConfig config);

MlirConversionConfig mlirConversionConfigCreate(void);
void mlirConversionConfigDestroy(MlirConversionConfig config);
void mlirConversionConfigSetFoldingMode(MlirConversionConfig config, MlirDialectConversionFoldingMode mode);
MlirDialectConversionFoldingMode mlirConversionConfigGetFoldingMode(MlirConversionConfig config);
void mlirConversionConfigEnableBuildMaterializations(MlirConversionConfig config, bool enable);
bool mlirConversionConfigIsBuildMaterializationsEnabled(MlirConversionConfig config);

MlirConversionTarget mlirConversionTargetCreate(MlirContext context);
void mlirConversionTargetDestroy(MlirConversionTarget target);
void mlirConversionTargetAddLegalOp(MlirConversionTarget target, MlirStringRef opName);
void mlirConversionTargetAddIllegalOp(MlirConversionTarget target, MlirStringRef opName);
void mlirConversionTargetAddLegalDialect(MlirConversionTarget target, MlirStringRef dialectName);
void mlirConversionTargetAddIllegalDialect(MlirConversionTarget target, MlirStringRef dialectName);
void mlirConversionTargetAddDynamicallyLegalOp(MlirConversionTarget target, MlirStringRef opName,
                                               MlirConversionTargetDynamicLegalityCallback callback, void* userData);
void mlirConversionTargetAddDynamicallyLegalDialect(MlirConversionTarget target, MlirStringRef dialectName,
                                                    MlirConversionTargetDynamicLegalityCallback callback,
                                                    void* userData);
void mlirConversionTargetMarkOpRecursivelyLegal(MlirConversionTarget target, MlirStringRef opName,
                                                MlirConversionTargetDynamicLegalityCallback callback, void* userData);
void mlirConversionTargetMarkUnknownOpDynamicallyLegal(MlirConversionTarget target,
                                                       MlirConversionTargetDynamicLegalityCallback callback,
                                                       void* userData);

MlirTypeConverter mlirTypeConverterCreate(void);
void mlirTypeConverterDestroy(MlirTypeConverter typeConverter);
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
MlirType mlirTypeConverterConvertType(MlirTypeConverter typeConverter, MlirType type);

MlirConversionPattern mlirOpConversionPatternCreate(MlirStringRef rootName, unsigned benefit, MlirContext context,
                                                    MlirTypeConverter typeConverter,
                                                    MlirConversionPatternCallbacks callbacks, void* userData,
                                                    size_t nGeneratedNames, MlirStringRef* generatedNames);
MlirTypeConverter mlirConversionPatternGetTypeConverter(MlirConversionPattern pattern);
MlirRewritePattern mlirConversionPatternAsRewritePattern(MlirConversionPattern pattern);
MlirPatternRewriter mlirConversionPatternRewriterAsPatternRewriter(MlirConversionPatternRewriter rewriter);
MlirLogicalResult mlirConversionPatternRewriterConvertRegionTypes(MlirConversionPatternRewriter rewriter,
                                                                  MlirRegion region, MlirTypeConverter typeConverter);
void mlirConversionPatternRewriterReplaceOpWithMultiple(MlirConversionPatternRewriter rewriter, MlirOperation op,
                                                        intptr_t nRanges, intptr_t* rangeSizes, MlirValue* values);
MlirContext mlirRewritePatternSetGetContext(MlirRewritePatternSet set);

#endif
