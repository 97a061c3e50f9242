// The macros that declare attributes. The headers in this folder declare the StableHLO and CHLO
// C API, by the names of upstream's headers. No package registry carries those, so the
// functions that the libraries export are declared here; a test holds every name against
// a real library.
#ifndef CALLIOPE_MACROS_H
#define CALLIOPE_MACROS_H

#include "mlir-c/IR.h"

// An enumeration that is made from its keyword and read back as one.
#define ENUM_ATTRIBUTE(Dialect, Name)                                      \
  MlirAttribute Dialect##Name##AttrGet(MlirContext ctx, MlirStringRef value); \
  bool Dialect##AttributeIsA##Name##Attr(MlirAttribute attr);              \
  MlirStringRef Dialect##Name##AttrGetValue(MlirAttribute attr);

// A list of integers in a structured attribute.
#define LIST(Owner, Field)                          \
  intptr_t Owner##Get##Field##Size(MlirAttribute attr); \
  int64_t Owner##Get##Field##Elem(MlirAttribute attr, intptr_t pos);

// A single integer in a structured attribute.
#define NUMBER(Owner, Field) int64_t Owner##Get##Field(MlirAttribute attr);

#endif
