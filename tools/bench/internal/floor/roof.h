#ifndef CALLIOPE_BENCH_ROOF_H
#define CALLIOPE_BENCH_ROOF_H

#include <stdint.h>

// Returns how many multiplications and additions of floats the loop made, as many as it can in registers.
double calliope_bench_multiply(int64_t times);

#endif
