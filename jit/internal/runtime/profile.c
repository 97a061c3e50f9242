#include "profile.h"

#include <stddef.h>
#include <time.h>

static __thread uint64_t* profile;

static uint64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t* calliope_jit_profile(uint64_t* words, uint64_t* now) {
  uint64_t* before = profile;
  profile = words;
  *now = nanoseconds();
  if (words != NULL) words[0] = *now;
  return before;
}

void calliope_jit_lap(int64_t piece) {
  uint64_t* p = profile;
  if (p == NULL) return;
  uint64_t now = nanoseconds();
  uint64_t* totals = p + 4;
  totals[2 * piece] += now - p[0];
  totals[2 * piece + 1]++;
  if (p[1] < p[3]) {
    uint64_t* lap = totals + 2 * p[2] + 2 * p[1];
    lap[0] = (uint64_t)piece;
    lap[1] = now;
  }
  p[1]++;
  p[0] = now;
}
