// Memory effects and speculatability of operations, and models of these interfaces.
#ifndef CALLIOPE_LLVM24_EFFECTS_H
#define CALLIOPE_LLVM24_EFFECTS_H

#include "../llvm23/Effects.h"

typedef struct MlirMemoryEffect { void* ptr; } MlirMemoryEffect;
typedef struct MlirMemoryEffectInstance { void* ptr; } MlirMemoryEffectInstance;
typedef struct MlirMemoryEffectInstancesList { void* ptr; } MlirMemoryEffectInstancesList;
typedef struct MlirSideEffectResource { void* ptr; } MlirSideEffectResource;

typedef void (*MlirMemoryEffectInstancesCallback)(intptr_t numEffects, MlirMemoryEffectInstance* effects,
                                                  void* userData);

MlirMemoryEffect mlirMemoryEffectsAllocateGet(void);
MlirMemoryEffect mlirMemoryEffectsFreeGet(void);
MlirMemoryEffect mlirMemoryEffectsReadGet(void);
MlirMemoryEffect mlirMemoryEffectsWriteGet(void);
MlirSideEffectResource mlirSideEffectsDefaultResourceGet(void);
MlirMemoryEffectInstance mlirMemoryEffectInstanceCreate(MlirMemoryEffect effect, MlirAttribute parameters, int stage,
                                                        bool effectOnFullRegion, MlirSideEffectResource resource);
MlirMemoryEffectInstance mlirMemoryEffectInstanceCreateForOpOperand(MlirMemoryEffect effect, MlirOpOperand opOperand,
                                                                    MlirAttribute parameters, int stage,
                                                                    bool effectOnFullRegion,
                                                                    MlirSideEffectResource resource);
MlirMemoryEffectInstance mlirMemoryEffectInstanceCreateForOpResult(MlirMemoryEffect effect, MlirValue result,
                                                                   MlirAttribute parameters, int stage,
                                                                   bool effectOnFullRegion,
                                                                   MlirSideEffectResource resource);
MlirMemoryEffectInstance mlirMemoryEffectInstanceCreateForBlockArgument(MlirMemoryEffect effect,
                                                                        MlirValue blockArgument,
                                                                        MlirAttribute parameters, int stage,
                                                                        bool effectOnFullRegion,
                                                                        MlirSideEffectResource resource);
MlirMemoryEffectInstance mlirMemoryEffectInstanceCreateForSymbol(MlirMemoryEffect effect, MlirAttribute symbol,
                                                                 MlirAttribute parameters, int stage,
                                                                 bool effectOnFullRegion,
                                                                 MlirSideEffectResource resource);
void mlirMemoryEffectInstanceDestroy(MlirMemoryEffectInstance instance);

// Only torch-mlir's library has this function.
void mlirMemoryEffectInstancesListAppend(MlirMemoryEffectInstancesList list, MlirMemoryEffectInstance instance);

// Only IREE's library has these.
MlirTypeID mlirMemoryEffectGetEffectID(MlirMemoryEffect effect);
MlirMemoryEffectInstance mlirMemoryEffectInstanceClone(MlirMemoryEffectInstance instance);
MlirMemoryEffect mlirMemoryEffectInstanceGetEffect(MlirMemoryEffectInstance instance);
MlirSideEffectResource mlirMemoryEffectInstanceGetResource(MlirMemoryEffectInstance instance);
int mlirMemoryEffectInstanceGetStage(MlirMemoryEffectInstance instance);
bool mlirMemoryEffectInstanceGetEffectOnFullRegion(MlirMemoryEffectInstance instance);
MlirAttribute mlirMemoryEffectInstanceGetParameters(MlirMemoryEffectInstance instance);
MlirValue mlirMemoryEffectInstanceGetValue(MlirMemoryEffectInstance instance);
MlirAttribute mlirMemoryEffectInstanceGetSymbolRef(MlirMemoryEffectInstance instance);
void mlirMemoryEffectsOpInterfaceGetEffects(MlirOperation operation, MlirMemoryEffectInstancesCallback callback,
                                            void* userData);

#endif
