// Memory effects and speculatability of operations, and models of these interfaces.
#ifndef CALLIOPE_LLVM23_EFFECTS_H
#define CALLIOPE_LLVM23_EFFECTS_H

#include "mlir-c/IR.h"

typedef enum MlirSpeculatability {
  MlirSpeculatabilityNotSpeculatable,
  MlirSpeculatabilitySpeculatable,
  MlirSpeculatabilityRecursivelySpeculatable
} MlirSpeculatability;

typedef struct MlirConditionallySpeculatableOpInterfaceCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  MlirSpeculatability (*getSpeculatability)(MlirOperation op, void* userData);
  void* userData;
} MlirConditionallySpeculatableOpInterfaceCallbacks;

MlirTypeID mlirConditionallySpeculatableOpInterfaceTypeID(void);
void mlirConditionallySpeculatableOpInterfaceAttachFallbackModel(
    MlirContext ctx, MlirStringRef opName, MlirConditionallySpeculatableOpInterfaceCallbacks callbacks);
MlirSpeculatability mlirConditionallySpeculatableOpInterfaceGetSpeculatability(MlirOperation operation);

MlirTypeID mlirMemoryEffectsOpInterfaceTypeID(void);

#endif
