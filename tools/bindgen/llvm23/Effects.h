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

// The function getEffects is, in LLVM 23 and torch-mlir's library:
//   void (MlirOperation, MlirMemoryEffectInstancesList, void* userData)
// and in IREE's, as since LLVM 24:
//   void (MlirOperation, MlirMemoryEffectInstancesCallback, void* callbackUserData, void* userData)
typedef struct MlirMemoryEffectsOpInterfaceCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  void (*getEffects)(void);
  void* userData;
} MlirMemoryEffectsOpInterfaceCallbacks;

MlirTypeID mlirMemoryEffectsOpInterfaceTypeID(void);
void mlirMemoryEffectsOpInterfaceAttachFallbackModel(MlirContext ctx, MlirStringRef opName,
                                                     MlirMemoryEffectsOpInterfaceCallbacks callbacks);

#endif
