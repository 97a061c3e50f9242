#ifndef CALLIOPE_FLOOR_GATE_H
#define CALLIOPE_FLOOR_GATE_H

// What the floors of measurements hand calls over with: one thread waits at a gate until
// another one opens it. A gate sleeps on a futex, or on a mutex and a condition variable,
// at once or after looking for a while.

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#define GATE_FUTEX(address, operation, value) syscall(SYS_futex, address, operation, value, NULL, NULL, 0)
#else  // condition variables alone
#define FUTEX_WAIT_PRIVATE 0
#define FUTEX_WAKE_PRIVATE 0
#define GATE_FUTEX(address, operation, value) ((void)(address))
#endif

typedef struct {
  int32_t open;  // 1, 0 where it is shut, -1 where it is shut and somebody sleeps
  int cond;      // sleep on the condition variable, not on the futex
  int spin;      // look for a while first
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} gate;

enum { GATE_LOOKS_NS = 20000 };  // for how long a gate is looked at

static inline void gate_init(gate* g, int cond, int spin) {
  g->open = 0;
#ifdef __linux__
  g->cond = cond;
#else
  g->cond = 1 | cond;
#endif
  g->spin = spin;
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
}

static inline int64_t gate_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void gate_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static inline void gate_open(gate* g) {
  if (g->cond) {
    pthread_mutex_lock(&g->mutex);
    __atomic_store_n(&g->open, 1, __ATOMIC_RELEASE);
    pthread_cond_signal(&g->changed);
    pthread_mutex_unlock(&g->mutex);
  } else if (__atomic_exchange_n(&g->open, 1, __ATOMIC_ACQ_REL) == -1) {
    GATE_FUTEX(&g->open, FUTEX_WAKE_PRIVATE, 1);
  }
}

// An exchange and not a store: who shuts the gate looks afterwards for what there is to
// do, and a store may take effect after that look, and undo an opening in between.
static inline void gate_shut(gate* g) { (void)__atomic_exchange_n(&g->open, 0, __ATOMIC_SEQ_CST); }

// Waits until the gate is open, and shuts it. One thread passes a gate.
static inline void gate_pass(gate* g) {
  if (g->spin) {
    int64_t until = gate_now() + GATE_LOOKS_NS;
    do {
      for (int i = 0; i < 32; i++) {
        if (__atomic_load_n(&g->open, __ATOMIC_ACQUIRE) == 1) {
          gate_shut(g);
          return;
        }
        gate_pause();
      }
    } while (gate_now() < until);
  }
  if (g->cond) {
    pthread_mutex_lock(&g->mutex);
    while (__atomic_load_n(&g->open, __ATOMIC_ACQUIRE) != 1) pthread_cond_wait(&g->changed, &g->mutex);
    gate_shut(g);
    pthread_mutex_unlock(&g->mutex);
    return;
  }
  int32_t shut = 0;
  if (__atomic_compare_exchange_n(&g->open, &shut, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&g->open, __ATOMIC_ACQUIRE) != 1) {
      GATE_FUTEX(&g->open, FUTEX_WAIT_PRIVATE, -1);
    }
  }
  gate_shut(g);
}

#endif
