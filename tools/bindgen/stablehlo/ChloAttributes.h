// The attributes of CHLO.
#ifndef CALLIOPE_CHLO_ATTRIBUTES_H
#define CALLIOPE_CHLO_ATTRIBUTES_H

#include "Macros.h"

// Enumerations.
ENUM_ATTRIBUTE(chlo, ComparisonDirection)
ENUM_ATTRIBUTE(chlo, ComparisonType)
ENUM_ATTRIBUTE(chlo, Precision)

// #chlo.ragged_dot
MlirAttribute chloRaggedDotDimensionNumbersGet(
    MlirContext ctx, intptr_t nLhsBatchingDimensions, const int64_t* lhsBatchingDimensions,
    intptr_t nRhsBatchingDimensions, const int64_t* rhsBatchingDimensions,
    intptr_t nLhsContractingDimensions, const int64_t* lhsContractingDimensions,
    intptr_t nRhsContractingDimensions, const int64_t* rhsContractingDimensions,
    intptr_t nLhsRaggedDimensions, const int64_t* lhsRaggedDimensions,
    intptr_t nRhsGroupDimensions, const int64_t* rhsGroupDimensions);
bool chloAttributeIsARaggedDotDimensionNumbers(MlirAttribute attr);
LIST(chloRaggedDotDimensionNumbers, LhsBatchingDimensions)
LIST(chloRaggedDotDimensionNumbers, RhsBatchingDimensions)
LIST(chloRaggedDotDimensionNumbers, LhsContractingDimensions)
LIST(chloRaggedDotDimensionNumbers, RhsContractingDimensions)
LIST(chloRaggedDotDimensionNumbers, LhsRaggedDimensions)
LIST(chloRaggedDotDimensionNumbers, RhsGroupDimensions)

#endif
