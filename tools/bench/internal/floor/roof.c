#include "roof.h"

#define REGISTERS 12  // for sums: more than a processor has multiplications in flight

// Defines a function that multiplies and adds in all lanes of registers of so many bytes.
#define DEFINE(name, bytes, attributes)                                                             \
  typedef float vector_##name __attribute__((vector_size(bytes)));                                  \
  attributes static double name(int64_t times) {                                                    \
    vector_##name sums[REGISTERS], x = {0}, y = {0};                                                \
    x += 0.999999f;                                                                                 \
    y += 0.000001f;                                                                                 \
    for (int i = 0; i < REGISTERS; i++) sums[i] = y * (float)i;                                          \
    for (int64_t n = 0; n < times; n++) {                                                           \
      _Pragma("GCC unroll 12") for (int i = 0; i < REGISTERS; i++) sums[i] = sums[i] * x + y;       \
    }                                                                                               \
    float total = 0;                                                                                \
    for (int i = 0; i < REGISTERS; i++) total += sums[i][0];                                        \
    volatile float kept = total; /* or the loop computes nothing */                                 \
    (void)kept;                                                                                     \
    return 2.0 * REGISTERS * (bytes / sizeof(float)) * (double)times;                               \
  }

#if defined(__x86_64__)
DEFINE(multiply_avx512, 64, __attribute__((target("avx512f"), optimize("O3"))))
DEFINE(multiply_avx2, 32, __attribute__((target("avx2,fma"), optimize("O3"))))
#endif
DEFINE(multiply_plain, 16, __attribute__((optimize("O3"))))

double calliope_bench_multiply(int64_t times) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return multiply_avx512(times);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_avx2(times);
#endif
  return multiply_plain(times);
}
