#include "copy.h"

#include <stdarg.h>
#include <string.h>

#define LONG_RUN 64  // bytes from which on a call of memcpy is faster

// Copies the bytes of a constant number that are left at least so many.
#define WHILE(size)                  \
  for (; run >= size; run -= size) { \
    memcpy(to, from, size);          \
    to += size;                      \
    from += size;                    \
  }

static inline void copy(char* to, const char* from, int64_t run) {
  if (run >= LONG_RUN) {
    memcpy(to, from, (size_t)run);
    return;
  }
  WHILE(16)
  WHILE(4)
  WHILE(1)
}

typedef struct loop {
  int64_t count, to, from;
} loop;

static void nest(char* to, const char* from, int64_t run, const loop* l, int64_t n) {
  if (n == 0) copy(to, from, run);
  for (int64_t i = 0; n > 0 && i < l->count; i++) {
    if (n > 1) {
      nest(to, from, run, l + 1, n - 1);
    } else {
      copy(to, from, run);
    }
    to += l->to;
    from += l->from;
  }
}

void calliope_jit_copy(char* to, const char* from, int64_t run, int64_t n, ...) {
  loop loops[n + 1];  // C has no arrays without elements
  va_list list;
  va_start(list, n);
  for (int64_t i = 0; i < n; i++) {
    loops[i].count = va_arg(list, int64_t);
    loops[i].to = va_arg(list, int64_t);
    loops[i].from = va_arg(list, int64_t);
  }
  va_end(list);
  nest(to, from, run, loops, n);
}

void* const calliope_jit_copy_address = (void*)calliope_jit_copy;
