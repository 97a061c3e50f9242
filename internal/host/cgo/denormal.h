#ifndef CALLIOPE_DENORMAL_H
#define CALLIOPE_DENORMAL_H

// XLA's threads take denormal numbers for zero while they compute. Go code that they call must not: it would get other
// numbers, and a thread that Go's runtime starts during the call would inherit the setting for ever.

#include <stdint.h>

#if defined(__x86_64__)

#include <xmmintrin.h>

#define CALLIOPE_FLUSH 0x8040u  // flush to zero, denormals are zero

// Turns the setting off and returns what to give to calliope_denormals_end.
static inline uint64_t calliope_denormals_begin(void) {
  unsigned before = _mm_getcsr();
  if (before & CALLIOPE_FLUSH) _mm_setcsr(before & ~CALLIOPE_FLUSH);
  return before;
}

static inline void calliope_denormals_end(uint64_t before) {
  if (before & CALLIOPE_FLUSH) _mm_setcsr((unsigned)before);
}

#elif defined(__aarch64__)

#define CALLIOPE_FLUSH (UINT64_C(1) << 24)

static inline uint64_t calliope_denormals_begin(void) {
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  if (before & CALLIOPE_FLUSH) __asm__ volatile("msr fpcr, %0" : : "r"(before & ~CALLIOPE_FLUSH));
  return before;
}

static inline void calliope_denormals_end(uint64_t before) {
  if (before & CALLIOPE_FLUSH) __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

static inline uint64_t calliope_denormals_begin(void) { return 0; }
static inline void calliope_denormals_end(uint64_t before) { (void)before; }

#endif

#endif
