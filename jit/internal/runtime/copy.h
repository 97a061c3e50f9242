#ifndef CALLIOPE_JIT_COPY_H
#define CALLIOPE_JIT_COPY_H

#include <stdint.h>

// What compiled code calls: copies a run of bytes in each iteration of n loops inside one another, the outermost one
// first. Three numbers follow for each loop: how often it runs, and how far an iteration is from the next one in the
// memory that is written, and in the one that is read.
void calliope_jit_copy(char* to, const char* from, int64_t run, int64_t n, ...);

// Its address. cgo does not know functions with further arguments.
extern void* const calliope_jit_copy_address;

#endif
