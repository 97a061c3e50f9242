// Functions on operations and values.
#ifndef CALLIOPE_LLVM24_IR_H
#define CALLIOPE_LLVM24_IR_H

#include "../llvm23/IR.h"

typedef bool (*MlirOpOperandReplaceFilterCallback)(MlirOpOperand operand, void* userData);

// The bits of flags say what is ignored: 1 locations, 2 discardable attributes, 4 properties,
// 8 that operands of commutative operations may be in any order.
bool mlirOperationIsStructurallyEquivalent(MlirOperation lhs, MlirOperation rhs, uint32_t flags);
size_t mlirOperationStructuralHashValue(MlirOperation op, uint32_t flags);
void mlirValueReplaceUsesWithIf(MlirValue of, MlirValue with, MlirOpOperandReplaceFilterCallback filter,
                                void* userData);
MlirDialect mlirContextGetLoadedDialect(MlirContext context, MlirStringRef name);

MlirType mlirFloat8E5M3FNUTypeGet(MlirContext ctx);
MlirTypeID mlirFloat8E5M3FNUTypeGetTypeID(void);
MlirStringRef mlirFloat8E5M3FNUTypeGetName(void);
bool mlirTypeIsAFloat8E5M3FNU(MlirType type);

// Where a rewriter inserts: before point or, if that is null, at the end of block.
typedef struct MlirRewriterInsertionPoint {
  MlirBlock block;
  MlirOperation point;
} MlirRewriterInsertionPoint;

MlirRewriterInsertionPoint mlirRewriterBaseSaveInsertionPoint(MlirRewriterBase rewriter);
void mlirRewriterBaseRestoreInsertionPoint(MlirRewriterBase rewriter, MlirRewriterInsertionPoint at);

// Only IREE's library has these.
bool mlirOperationIsAncestor(MlirOperation op, MlirOperation other);
bool mlirOperationIsProperAncestor(MlirOperation op, MlirOperation other);
MlirStringRef mlirSymbolTableGetDefaultVisibilityAttributeName(void);
MlirOperation mlirDialectMaterializeConstant(MlirDialect dialect, MlirRewriterBase rewriter, MlirAttribute value,
                                             MlirType type, MlirLocation location);
void mlirContextBeginTransientScope(MlirContext context);
void mlirContextEndTransientScope(MlirContext context);
bool mlirContextIsInTransientScope(MlirContext context);
void mlirEmitWarning(MlirLocation location, const char* message);
void mlirEmitRemark(MlirLocation location, const char* message);

#endif
