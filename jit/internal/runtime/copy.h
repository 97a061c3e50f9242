#ifndef CALLIOPE_JIT_COPY_H
#define CALLIOPE_JIT_COPY_H

#include <stdint.h>

// What compiled code calls: copies a run of bytes in each iteration of n loops inside one another, the outermost one
// first. Three numbers follow for each loop: how often it runs, and how far an iteration is from the next one in the
// memory that is written, and in the one that is read.
void calliope_jit_copy(char* to, const char* from, int64_t run, int64_t n, ...);

// Its address. cgo does not know functions with further arguments.
extern void* const calliope_jit_copy_address;

// What compiled code calls to copy elements that are adjacent in one loop in the source, and in another one in the
// destination: element (i, j) is size·i + to_step·j from the one and from_step·i + size·j from the other. size is 1, 2, 4,
// 8 or 16. Around them are n loops, as those of calliope_jit_copy.
void calliope_jit_transpose(char* to, const char* from, int64_t size, int64_t rows, int64_t from_step, int64_t columns,
                            int64_t to_step, int64_t n, ...);

extern void* const calliope_jit_transpose_address;

#endif
