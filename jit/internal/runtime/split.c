#include "split.h"

#include <stdarg.h>
#include <stddef.h>

extern void calliopeJITSplit(calliope_jit_loop* loop);

void calliope_jit_split(void (*body)(void**), int64_t size, int64_t grain, int64_t memory, int64_t n, ...) {
  void* words[n + 1];  // C has no arrays without elements
  va_list list;
  va_start(list, n);
  for (int64_t i = 0; i < n; i++) words[i] = va_arg(list, void*);
  va_end(list);
  calliope_jit_loop loop = {.body = body, .size = size, .grain = grain, .memory = memory, .n = n, .words = words};
  if (size > grain) {
    calliopeJITSplit(&loop);
  } else {
    calliope_jit_take(&loop, NULL);
  }
}

void* const calliope_jit_split_address = (void*)calliope_jit_split;

void calliope_jit_take(calliope_jit_loop* loop, void* memory) {
  int64_t begin, end;
  void* arguments[loop->n + 2];
  arguments[0] = &begin;
  arguments[1] = &end;
  for (int64_t i = 0; i < loop->n; i++) arguments[i + 2] = &loop->words[i];
  if (memory) arguments[loop->n + 1] = &memory;
  while ((begin = __atomic_fetch_add(&loop->next, loop->grain, __ATOMIC_RELAXED)) < loop->size) {
    end = begin + loop->grain < loop->size ? begin + loop->grain : loop->size;
    loop->body(arguments);
  }
}
