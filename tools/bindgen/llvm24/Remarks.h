// Optimization remarks. Only IREE's library has these functions.
#ifndef CALLIOPE_LLVM24_REMARKS_H
#define CALLIOPE_LLVM24_REMARKS_H

#include "mlir-c/IR.h"

typedef struct MlirRemark { const void* ptr; } MlirRemark;

typedef enum MlirRemarkKind {
  MlirRemarkKindUnknown,
  MlirRemarkKindPassed,
  MlirRemarkKindMissed,
  MlirRemarkKindFailure,
  MlirRemarkKindAnalysis
} MlirRemarkKind;

typedef enum MlirRemarkPolicy { MlirRemarkPolicyAll, MlirRemarkPolicyFinal } MlirRemarkPolicy;

typedef enum MlirRemarkFileFormat { MlirRemarkFileFormatYAML, MlirRemarkFileFormatBitstream } MlirRemarkFileFormat;

typedef struct MlirRemarkCategories {
  MlirStringRef all;
  MlirStringRef passed;
  MlirStringRef missed;
  MlirStringRef analysis;
  MlirStringRef failed;
} MlirRemarkCategories;

typedef void (*MlirRemarkCallback)(MlirRemark remark, void* userData);
typedef void (*MlirRemarkDeleteUserData)(void* userData);

MlirLogicalResult mlirContextEnableOptimizationRemarks(MlirContext context, MlirRemarkCategories categories,
                                                       MlirRemarkPolicy policy, bool printAsEmitRemarks);
MlirLogicalResult mlirContextEnableOptimizationRemarksToFile(MlirContext context, MlirRemarkCategories categories,
                                                             MlirRemarkPolicy policy, MlirRemarkFileFormat format,
                                                             MlirStringRef path, bool printAsEmitRemarks);
MlirLogicalResult mlirContextEnableOptimizationRemarksWithCallback(MlirContext context,
                                                                   MlirRemarkCategories categories,
                                                                   MlirRemarkPolicy policy, MlirRemarkCallback callback,
                                                                   void* userData,
                                                                   MlirRemarkDeleteUserData deleteUserData,
                                                                   bool printAsEmitRemarks);
void mlirContextFinalizeOptimizationRemarks(MlirContext context);
bool mlirContextHasRemarkEngine(MlirContext context);
MlirRemarkKind mlirRemarkGetKind(MlirRemark remark);
MlirStringRef mlirRemarkGetRemarkName(MlirRemark remark);
MlirStringRef mlirRemarkGetCategoryName(MlirRemark remark);
MlirStringRef mlirRemarkGetFullCategoryName(MlirRemark remark);
MlirStringRef mlirRemarkGetFunctionName(MlirRemark remark);
MlirLocation mlirRemarkGetLocation(MlirRemark remark);
uint64_t mlirRemarkGetId(MlirRemark remark);
intptr_t mlirRemarkGetNumArgs(MlirRemark remark);
MlirStringRef mlirRemarkGetArgKey(MlirRemark remark, intptr_t pos);
MlirStringRef mlirRemarkGetArgValue(MlirRemark remark, intptr_t pos);
void mlirRemarkPrint(MlirRemark remark, MlirStringCallback callback, void* userData);
bool mlirEmitOptimizationRemark(MlirLocation location, MlirRemarkKind kind, MlirStringRef remarkName,
                                MlirStringRef categoryName, MlirStringRef subCategoryName, MlirStringRef functionName,
                                MlirStringRef message, intptr_t numArgs, const MlirStringRef* argKeys,
                                const MlirStringRef* argValues);

#endif
