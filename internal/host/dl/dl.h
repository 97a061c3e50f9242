#ifndef CALLIOPE_DL_H
#define CALLIOPE_DL_H

#include <stdlib.h>

// Opens a shared library. On failure returns NULL and stores a malloc'ed copy of
// the loader's message in *error.
void* calliope_dlopen(const char* path, char** error);

// The address of a symbol, NULL where the library lacks it.
void* calliope_dlsym(void* library, const char* name);

// Bytes that the process has allocated by malloc and not freed, 0 where the C library does not count them.
size_t calliope_allocated(void);

// Returns memory that the C library keeps to the system, where it can.
#ifdef __GLIBC__
#include <malloc.h>
enum { kCanTrim = 1 };
static inline void calliope_trim(void) { malloc_trim(0); }
#else
enum { kCanTrim = 0 };
static inline void calliope_trim(void) {}
#endif

#endif
