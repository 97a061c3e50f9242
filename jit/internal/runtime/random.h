#ifndef CALLIOPE_JIT_RANDOM_H
#define CALLIOPE_JIT_RANDOM_H

#include <stdint.h>

// What compiled code calls: stores the state of a generator that no other call gets.
void calliope_jit_random(uint64_t state[2]);

// Sets where the states of the process begin.
void calliope_jit_random_from(uint64_t start);

#endif
