#ifndef CALLIOPE_LOCK_H
#define CALLIOPE_LOCK_H

// A lock is a mutex of the system.
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
typedef SRWLOCK lock;
static inline void lock_init(lock* l) { InitializeSRWLock(l); }
static inline void lock_acquire(lock* l) { AcquireSRWLockExclusive(l); }
static inline void lock_release(lock* l) { ReleaseSRWLockExclusive(l); }
static inline void lock_destroy(lock* l) { (void)l; }
#else
#include <pthread.h>
typedef pthread_mutex_t lock;
static inline void lock_init(lock* l) { pthread_mutex_init(l, NULL); }
static inline void lock_acquire(lock* l) { pthread_mutex_lock(l); }
static inline void lock_release(lock* l) { pthread_mutex_unlock(l); }
static inline void lock_destroy(lock* l) { pthread_mutex_destroy(l); }
#endif

#endif
