// Versions and portable artifacts.
#ifndef CALLIOPE_STABLEHLO_DIALECT_API_H
#define CALLIOPE_STABLEHLO_DIALECT_API_H

#include "mlir-c/IR.h"

typedef enum MlirStablehloCompatibilityRequirement {
  MlirStablehloCompatibilityNone = 0,
  MlirStablehloCompatibilityWeek4 = 1,
  MlirStablehloCompatibilityWeek12 = 2,
  MlirStablehloCompatibilityMax = 3
} MlirStablehloCompatibilityRequirement;

int stablehloGetApiVersion(void);
void stablehloGetCurrentVersion(MlirStringCallback callback, void* userData);
void stablehloGetMinimumVersion(MlirStringCallback callback, void* userData);
void stablehloVersionFromCompatibilityRequirement(MlirStablehloCompatibilityRequirement requirement,
                                                  MlirStringCallback callback, void* userData);
MlirLogicalResult stablehloGetSmallerVersion(MlirStringRef version1, MlirStringRef version2,
                                             MlirStringCallback callback, void* userData);
MlirLogicalResult stablehloSerializePortableArtifactFromStringRef(MlirStringRef moduleStr,
                                                                  MlirStringRef targetVersion,
                                                                  MlirStringCallback callback,
                                                                  void* userData);
MlirLogicalResult stablehloSerializePortableArtifactFromModule(MlirModule module,
                                                               MlirStringRef targetVersion,
                                                               MlirStringCallback callback,
                                                               void* userData,
                                                               bool allowOtherDialects);
MlirLogicalResult stablehloDeserializePortableArtifact(MlirStringRef artifactStr,
                                                       MlirStringCallback callback, void* userData);
MlirModule stablehloDeserializePortableArtifactNoError(MlirStringRef artifactStr, MlirContext ctx);

#endif
