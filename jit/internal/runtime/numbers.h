#ifndef CALLIOPE_JIT_NUMBERS_H
#define CALLIOPE_JIT_NUMBERS_H

#include <stdint.h>

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// An element of 16 bytes.
typedef struct pair {
  uint64_t words[2];
} pair;

#endif
