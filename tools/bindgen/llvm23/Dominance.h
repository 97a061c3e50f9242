// Which operations, values and blocks are always reached before or after others.
#ifndef CALLIOPE_LLVM23_DOMINANCE_H
#define CALLIOPE_LLVM23_DOMINANCE_H

#include "mlir-c/IR.h"

typedef struct MlirDominanceInfo { void* ptr; } MlirDominanceInfo;
typedef struct MlirPostDominanceInfo { void* ptr; } MlirPostDominanceInfo;

MlirDominanceInfo mlirDominanceInfoCreate(MlirOperation op);
void mlirDominanceInfoDestroy(MlirDominanceInfo info);
void mlirDominanceInfoInvalidate(MlirDominanceInfo info);
bool mlirDominanceInfoDominatesOperation(MlirDominanceInfo info, MlirOperation a, MlirOperation b);
bool mlirDominanceInfoProperlyDominatesOperation(MlirDominanceInfo info, MlirOperation a, MlirOperation b);
bool mlirDominanceInfoValueDominates(MlirDominanceInfo info, MlirValue a, MlirOperation b);
bool mlirDominanceInfoValueProperlyDominates(MlirDominanceInfo info, MlirValue a, MlirOperation b);
bool mlirDominanceInfoDominatesBlock(MlirDominanceInfo info, MlirBlock a, MlirBlock b);
bool mlirDominanceInfoProperlyDominatesBlock(MlirDominanceInfo info, MlirBlock a, MlirBlock b);
MlirBlock mlirDominanceInfoFindNearestCommonDominator(MlirDominanceInfo info, MlirBlock a, MlirBlock b);
bool mlirDominanceInfoIsReachableFromEntry(MlirDominanceInfo info, MlirBlock block);

MlirPostDominanceInfo mlirPostDominanceInfoCreate(MlirOperation op);
void mlirPostDominanceInfoDestroy(MlirPostDominanceInfo info);
void mlirPostDominanceInfoInvalidate(MlirPostDominanceInfo info);
bool mlirPostDominanceInfoPostDominatesOperation(MlirPostDominanceInfo info, MlirOperation a, MlirOperation b);
bool mlirPostDominanceInfoProperlyPostDominatesOperation(MlirPostDominanceInfo info, MlirOperation a, MlirOperation b);
bool mlirPostDominanceInfoPostDominatesBlock(MlirPostDominanceInfo info, MlirBlock a, MlirBlock b);
bool mlirPostDominanceInfoProperlyPostDominatesBlock(MlirPostDominanceInfo info, MlirBlock a, MlirBlock b);

#endif
