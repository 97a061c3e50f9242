#include "random.h"

static uint64_t start, calls;

// Each call has a key of its own, for which Philox makes other numbers.
void calliope_jit_random(uint64_t state[2]) {
  state[0] = start + __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  state[1] = 0;
}

void calliope_jit_random_from(uint64_t s) { start = s; }
