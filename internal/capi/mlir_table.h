#ifndef CALLIOPE_MLIR_TABLE_H
#define CALLIOPE_MLIR_TABLE_H

#include <stddef.h>

// Fills a new table (gen_mlir_api.h) from a library, which is the result of dlopen.
// Functions that the library lacks are NULL. The table is never freed: the library
// stays open too.
void* calliope_mlir_table(void* library);

// Inserts every dialect that the library can register into the registry: all at
// once where it has one function for that, else by the dialect handles it exports.
void calliope_mlir_register_dialects(void* library, const void* table, void* registry);

#endif
