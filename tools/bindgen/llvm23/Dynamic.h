// Types, attributes and traits of dialects that are defined while a program runs.
#ifndef CALLIOPE_LLVM23_DYNAMIC_H
#define CALLIOPE_LLVM23_DYNAMIC_H

#include "mlir-c/IR.h"

typedef struct MlirDynamicOpTrait { void* ptr; } MlirDynamicOpTrait;
typedef struct MlirDynamicTypeDefinition { void* ptr; } MlirDynamicTypeDefinition;
typedef struct MlirDynamicAttrDefinition { void* ptr; } MlirDynamicAttrDefinition;

typedef struct MlirDynamicOpTraitCallbacks {
  void (*construct)(void* userData);
  void (*destruct)(void* userData);
  MlirLogicalResult (*verifyTrait)(MlirOperation op, void* userData);
  MlirLogicalResult (*verifyRegionTrait)(MlirOperation op, void* userData);
} MlirDynamicOpTraitCallbacks;

bool mlirDynamicOpTraitAttach(MlirDynamicOpTrait dynamicOpTrait, MlirStringRef opName, MlirContext context);
MlirDynamicOpTrait mlirDynamicOpTraitCreate(MlirTypeID typeID, MlirDynamicOpTraitCallbacks callbacks, void* userData);
MlirDynamicOpTrait mlirDynamicOpTraitIsTerminatorCreate(void);
MlirTypeID mlirDynamicOpTraitIsTerminatorGetTypeID(void);
MlirDynamicOpTrait mlirDynamicOpTraitNoTerminatorCreate(void);
MlirTypeID mlirDynamicOpTraitNoTerminatorGetTypeID(void);
void mlirDynamicOpTraitDestroy(MlirDynamicOpTrait dynamicOpTrait);

bool mlirDialectIsAExtensibleDialect(MlirDialect dialect);
MlirDynamicTypeDefinition mlirExtensibleDialectLookupTypeDefinition(MlirDialect dialect, MlirStringRef typeName);
bool mlirTypeIsADynamicType(MlirType type);
MlirType mlirDynamicTypeGet(MlirDynamicTypeDefinition typeDef, MlirAttribute* attrs, intptr_t numAttrs);
intptr_t mlirDynamicTypeGetNumParams(MlirType type);
MlirAttribute mlirDynamicTypeGetParam(MlirType type, intptr_t index);
MlirDynamicTypeDefinition mlirDynamicTypeGetTypeDef(MlirType type);
MlirTypeID mlirDynamicTypeDefinitionGetTypeID(MlirDynamicTypeDefinition typeDef);
MlirStringRef mlirDynamicTypeDefinitionGetName(MlirDynamicTypeDefinition typeDef);
MlirDialect mlirDynamicTypeDefinitionGetDialect(MlirDynamicTypeDefinition typeDef);
MlirDynamicAttrDefinition mlirExtensibleDialectLookupAttrDefinition(MlirDialect dialect, MlirStringRef attrName);
bool mlirAttributeIsADynamicAttr(MlirAttribute attr);
MlirAttribute mlirDynamicAttrGet(MlirDynamicAttrDefinition attrDef, MlirAttribute* attrs, intptr_t numAttrs);
intptr_t mlirDynamicAttrGetNumParams(MlirAttribute attr);
MlirAttribute mlirDynamicAttrGetParam(MlirAttribute attr, intptr_t index);
MlirDynamicAttrDefinition mlirDynamicAttrGetAttrDef(MlirAttribute attr);
MlirTypeID mlirDynamicAttrDefinitionGetTypeID(MlirDynamicAttrDefinition attrDef);
MlirStringRef mlirDynamicAttrDefinitionGetName(MlirDynamicAttrDefinition attrDef);
MlirDialect mlirDynamicAttrDefinitionGetDialect(MlirDynamicAttrDefinition attrDef);

#endif
