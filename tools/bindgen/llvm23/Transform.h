// Operations of the transform dialect that are defined while a program runs.
#ifndef CALLIOPE_LLVM23_TRANSFORM_H
#define CALLIOPE_LLVM23_TRANSFORM_H

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

typedef struct MlirTransformRewriter { void* ptr; } MlirTransformRewriter;
typedef struct MlirTransformResults { void* ptr; } MlirTransformResults;
typedef struct MlirTransformState { void* ptr; } MlirTransformState;

typedef enum MlirDiagnosedSilenceableFailure {
  MlirDiagnosedSilenceableFailureSuccess,
  MlirDiagnosedSilenceableFailureSilenceableFailure,
  MlirDiagnosedSilenceableFailureDefiniteFailure
} MlirDiagnosedSilenceableFailure;

typedef void (*MlirOperationCallback)(MlirOperation op, void* userData);
typedef void (*MlirValueCallback)(MlirValue value, void* userData);
typedef void (*MlirAttributeCallback)(MlirAttribute attr, void* userData);

typedef struct MlirTransformOpInterfaceCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  MlirDiagnosedSilenceableFailure (*apply)(MlirOperation op, MlirTransformRewriter rewriter,
                                           MlirTransformResults results, MlirTransformState state, void* userData);
  bool (*allowsRepeatedHandleOperands)(MlirOperation op, void* userData);
  void* userData;
} MlirTransformOpInterfaceCallbacks;

typedef struct MlirPatternDescriptorOpInterfaceCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  void (*populatePatterns)(MlirOperation op, MlirRewritePatternSet patterns, void* userData);
  void (*populatePatternsWithState)(MlirOperation op, MlirRewritePatternSet patterns, MlirTransformState state,
                                    void* userData);
  void* userData;
} MlirPatternDescriptorOpInterfaceCallbacks;

MlirRewriterBase mlirTransformRewriterAsBase(MlirTransformRewriter rewriter);
void mlirTransformResultsSetOps(MlirTransformResults results, MlirValue result, intptr_t numOps, MlirOperation* ops);
void mlirTransformResultsSetValues(MlirTransformResults results, MlirValue result, intptr_t numValues,
                                   MlirValue* values);
void mlirTransformResultsSetParams(MlirTransformResults results, MlirValue result, intptr_t numParams,
                                   MlirAttribute* params);
void mlirTransformStateForEachPayloadOp(MlirTransformState state, MlirValue value, MlirOperationCallback callback,
                                        void* userData);
void mlirTransformStateForEachPayloadValue(MlirTransformState state, MlirValue value, MlirValueCallback callback,
                                           void* userData);
void mlirTransformStateForEachParam(MlirTransformState state, MlirValue value, MlirAttributeCallback callback,
                                    void* userData);
MlirTypeID mlirTransformOpInterfaceTypeID(void);
void mlirTransformOpInterfaceAttachFallbackModel(MlirContext ctx, MlirStringRef opName,
                                                 MlirTransformOpInterfaceCallbacks callbacks);
MlirTypeID mlirPatternDescriptorOpInterfaceTypeID(void);
void mlirPatternDescriptorOpInterfaceAttachFallbackModel(MlirContext ctx, MlirStringRef opName,
                                                         MlirPatternDescriptorOpInterfaceCallbacks callbacks);

#endif
