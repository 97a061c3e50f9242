// Functions of further dialects.
#ifndef CALLIOPE_LLVM24_DIALECTS_H
#define CALLIOPE_LLVM24_DIALECTS_H

#include "../llvm23/Dialects.h"

// Only torch-mlir's library has these, which are StableHLO's.
MlirType stablehloFutureTypeGet(MlirContext ctx, intptr_t numTypes, const MlirType* types);
bool stablehloTypeIsAFuture(MlirType type);
intptr_t stablehloFutureTypeGetNumTypes(MlirType type);
MlirType stablehloFutureTypeGetType(MlirType type, intptr_t pos);
MlirAttribute stablehloMeshAxisAttrGet(MlirContext ctx, MlirStringRef name, int64_t size);
bool stablehloAttributeIsAMeshAxisAttr(MlirAttribute attr);
MlirStringRef stablehloMeshAxisAttrGetName(MlirAttribute attr);
int64_t stablehloMeshAxisAttrGetSize(MlirAttribute attr);
MlirAttribute stablehloMeshAttrGet(MlirContext ctx, MlirAttribute axes, MlirAttribute deviceIds);
bool stablehloAttributeIsAMeshAttr(MlirAttribute attr);
MlirAttribute stablehloMeshAttrGetAxes(MlirAttribute attr);
MlirAttribute stablehloMeshAttrGetDeviceIds(MlirAttribute attr);
MlirAttribute stablehloSubAxisInfoAttrGet(MlirContext ctx, int64_t preSize, int64_t size);
bool stablehloAttributeIsASubAxisInfoAttr(MlirAttribute attr);
int64_t stablehloSubAxisInfoAttrGetPreSize(MlirAttribute attr);
int64_t stablehloSubAxisInfoAttrGetSize(MlirAttribute attr);
MlirAttribute stablehloAxisRefAttrGet(MlirContext ctx, MlirStringRef name, MlirAttribute subAxisInfo);
bool stablehloAttributeIsAnAxisRefAttr(MlirAttribute attr);
MlirStringRef stablehloAxisRefAttrGetName(MlirAttribute attr);
MlirAttribute stablehloAxisRefAttrGetSubAxisInfo(MlirAttribute attr);
MlirAttribute stablehloReplicaGroupMeshAxesAttrGet(MlirContext ctx, MlirAttribute mesh, MlirAttribute axes);
bool stablehloAttributeIsAReplicaGroupMeshAxesAttr(MlirAttribute attr);
MlirAttribute stablehloReplicaGroupMeshAxesAttrGetMesh(MlirAttribute attr);
MlirAttribute stablehloReplicaGroupMeshAxesAttrGetAxes(MlirAttribute attr);
void mlirRegisterAllStablehloPasses(void);

#endif
