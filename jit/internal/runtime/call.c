#include "call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

extern int calliopeJITCall(uintptr_t handle, int64_t site, int32_t device, void** arrays);

// Compiled code owns nothing that would have to be freed, so a run ends by a jump over its frames. It has no tables for
// unwinding, which the jump of Windows must not ask for.
#ifdef _WIN32
#define MARK(end) _setjmp((end), NULL)
#define JUMP(end) longjmp((end), 1)
#else
#define MARK(end) _setjmp(end)
#define JUMP(end) _longjmp((end), 1)
#endif

typedef struct run {
  uintptr_t handle;
  uint64_t module;
  int depth;
  int32_t device;  // that makes the calls of the host
  const uint32_t* stop;
  struct run* outer;  // the run around it on this thread, in one of whose calls it was begun
  int calling;        // whether it is in a call of the host
  int left;           // of calliope_jit_enter: over, and still in the list of its thread
  jmp_buf end;
} run;

static __thread run* current;

int calliope_jit_invoke(void (*function)(void**), void** arguments, uintptr_t handle, uint64_t module,
                        int depth, const uint32_t* stop) {
  run r = {.handle = handle, .module = module, .depth = depth, .stop = stop, .outer = current};
  if (MARK(r.end)) {
    current = r.outer;
    return 0;
  }
  current = &r;
  function(arguments);
  current = r.outer;
  return 1;
}

void calliope_jit_call(int64_t site, int64_t n, ...) {
  run* r = current;
  void* arrays[n + 1];  // C has no arrays without elements
  va_list list;
  va_start(list, n);
  for (int64_t i = 0; i < n; i++) arrays[i] = va_arg(list, void*);
  va_end(list);
  r->calling = 1;
  int made = calliopeJITCall(r->handle, site, r->device, arrays);
  r->calling = 0;
  if (__builtin_expect(!made, 0)) JUMP(r->end);
}

void* const calliope_jit_call_address = (void*)calliope_jit_call;

void calliope_jit_device(const int32_t* number) { current->device = *number; }

void calliope_jit_check(void) {
  if (__builtin_expect(__atomic_load_n(current->stop, __ATOMIC_RELAXED) != 0, 0)) JUMP(current->end);
}

// Frees what was left on other threads. Only calliope_jit_enter makes those.
static void drop_left(void) {
  while (current != NULL && __atomic_load_n(&current->left, __ATOMIC_ACQUIRE)) {
    run* r = current;
    current = r->outer;
    free(r);
  }
}

static int is_calling(const run* r) { return r->calling && !__atomic_load_n(&r->left, __ATOMIC_ACQUIRE); }

int calliope_jit_inside(uint64_t module) {
  drop_left();
  for (run* r = current; r != NULL; r = r->outer) {
    if (is_calling(r) && r->module == module) return 1;
  }
  return 0;
}

int calliope_jit_depth(void) {
  drop_left();
  for (run* r = current; r != NULL; r = r->outer) {
    if (is_calling(r)) return r->depth;
  }
  return 0;
}

void* calliope_jit_enter(uint64_t module, int depth) {
  run* r = calloc(1, sizeof *r);
  if (r == NULL) abort();
  drop_left();
  r->module = module;
  r->depth = depth;
  r->outer = current;
  r->calling = 1;
  current = r;
  return r;
}

void calliope_jit_leave(void* entered) {
  run* r = entered;
  if (current == r) {
    current = r->outer;
    free(r);
  } else {
    __atomic_store_n(&r->left, 1, __ATOMIC_RELEASE);
  }
}
