#include "inflight.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// How many calls within each other on one thread are noted: a call runs a module on an
// inner client, which calls, and so on. Those further in are not.
enum { DEPTH = 8 };

typedef struct {
  _Atomic int64_t run_id;
  _Atomic uintptr_t site;
  _Atomic uint64_t sequence;  // 0 where there is no call
} entry;

// The calls of one thread. It is written by its thread alone.
typedef struct record {
  struct record* next;
  _Atomic int taken;  // by a thread that lives
  int depth;
  uint64_t last;
  entry calls[DEPTH];
} record;

static _Atomic(record*) records;  // never freed: another thread takes them over
static _Atomic uint64_t made;
static __thread record* mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(void* arg) {
  record* r = arg;
  mine = NULL;
  // A thread may end within a call, where runtime.Goexit does not return to C.
  for (int i = 0; i < DEPTH; i++) atomic_store_explicit(&r->calls[i].sequence, 0, memory_order_release);
  r->depth = 0;
  atomic_store_explicit(&r->taken, 0, memory_order_release);
}

static void make_key(void) { pthread_key_create(&key, give_back); }

static record* take(void) {
  pthread_once(&once, make_key);
  record* r = atomic_load_explicit(&records, memory_order_acquire);
  for (; r != NULL; r = r->next) {
    int none = 0;
    if (atomic_compare_exchange_strong(&r->taken, &none, 1)) break;
  }
  if (r == NULL) {
    r = calloc(1, sizeof *r);
    if (r == NULL) abort();
    r->taken = 1;
    r->last = atomic_fetch_add(&made, 1) << 40;  // its calls' numbers are its own
    r->next = atomic_load(&records);
    while (!atomic_compare_exchange_weak(&records, &r->next, r)) {
    }
  }
  pthread_setspecific(key, r);
  mine = r;
  return r;
}

// Each store is a release: who sees one sees those before it, so that a reader that
// finds the same number before and after has read one call.
void calliope_in_flight_begin(int64_t run_id, uintptr_t site) {
  record* r = mine;
  if (__builtin_expect(r == NULL, 0)) r = take();
  if (__builtin_expect(r->depth < DEPTH, 1)) {
    entry* e = &r->calls[r->depth];
    atomic_store_explicit(&e->run_id, run_id, memory_order_release);
    atomic_store_explicit(&e->site, site, memory_order_release);
    atomic_store_explicit(&e->sequence, ++r->last, memory_order_release);
  }
  r->depth++;
}

void calliope_in_flight_end(void) {
  record* r = mine;
  r->depth--;
  if (__builtin_expect(r->depth < DEPTH, 1)) {
    atomic_store_explicit(&r->calls[r->depth].sequence, 0, memory_order_release);
  }
}

size_t calliope_ffi_in_flight(calliope_in_flight* out, size_t n) {
  size_t found = 0;
  for (record* r = atomic_load_explicit(&records, memory_order_acquire); r != NULL; r = r->next) {
    for (int i = 0; i < DEPTH; i++) {
      entry* e = &r->calls[i];
      uint64_t sequence = atomic_load_explicit(&e->sequence, memory_order_acquire);
      if (sequence == 0) continue;
      calliope_in_flight call = {.run_id = atomic_load_explicit(&e->run_id, memory_order_acquire),
                                .site = atomic_load_explicit(&e->site, memory_order_acquire),
                                .sequence = sequence};
      if (atomic_load_explicit(&e->sequence, memory_order_acquire) != sequence) continue;
      if (found < n) out[found] = call;
      found++;
    }
  }
  return found;
}
