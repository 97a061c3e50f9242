// Dialect conversion: targets, type converters and patterns.
#ifndef CALLIOPE_LLVM23_CONVERSION_H
#define CALLIOPE_LLVM23_CONVERSION_H

#include "mlir-c/Rewrite.h"

typedef struct MlirConversionTarget { void* ptr; } MlirConversionTarget;
typedef struct MlirConversionPattern { const void* ptr; } MlirConversionPattern;
typedef struct MlirTypeConverter { void* ptr; } MlirTypeConverter;
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

typedef MlirConversionTargetLegality (*MlirConversionTargetDynamicLegalityCallback)(MlirOperation op, void* userData);

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
MlirType mlirTypeConverterConvertType(MlirTypeConverter typeConverter, MlirType type);

MlirTypeConverter mlirConversionPatternGetTypeConverter(MlirConversionPattern pattern);
MlirRewritePattern mlirConversionPatternAsRewritePattern(MlirConversionPattern pattern);
MlirPatternRewriter mlirConversionPatternRewriterAsPatternRewriter(MlirConversionPatternRewriter rewriter);
MlirLogicalResult mlirConversionPatternRewriterConvertRegionTypes(MlirConversionPatternRewriter rewriter,
                                                                  MlirRegion region, MlirTypeConverter typeConverter);
MlirContext mlirRewritePatternSetGetContext(MlirRewritePatternSet set);

#endif
