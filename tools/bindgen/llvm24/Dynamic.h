// Types, attributes and traits of dialects that are defined while a program runs.
#ifndef CALLIOPE_LLVM24_DYNAMIC_H
#define CALLIOPE_LLVM24_DYNAMIC_H

#include "../llvm23/Dynamic.h"

MlirDynamicOpTrait mlirDynamicOpTraitIsIsolatedFromAboveCreate(void);
MlirTypeID mlirDynamicOpTraitIsIsolatedFromAboveGetTypeID(void);

// Only IREE's library has these two.
MlirDynamicOpTrait mlirDynamicOpTraitRecursiveMemoryEffectsCreate(void);
MlirTypeID mlirDynamicOpTraitRecursiveMemoryEffectsGetTypeID(void);

#endif
