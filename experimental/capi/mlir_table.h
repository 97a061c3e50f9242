#ifndef CALLIOPE_MLIR_TABLE_H
#define CALLIOPE_MLIR_TABLE_H

#include <stddef.h>

// Fills a new table (gen_mlir_api.h) from a library, which is the result of dlopen.
// Functions that the library lacks are NULL. The table is never freed, and the library is
// never closed.
void* calliope_mlir_table(void* library);

// Returns the release of LLVM that the library was built from, or 0 if the library does not state it.
int calliope_mlir_release(void* library);

// Inserts every dialect that the library can register into the registry: by the library's
// one function for that, if it has one, or by the dialect handles that it exports.
void calliope_mlir_register_dialects(void* library, const void* table, void* registry);

#endif
