#include "stack.h"

#include <pthread.h>

extern void calliopeRunOnStack(uintptr_t handle);

static void* run(void* handle) {
  calliopeRunOnStack((uintptr_t)handle);
  return NULL;
}

int calliope_on_stack(size_t bytes, uintptr_t handle) {
  pthread_attr_t attr;
  pthread_t thread;
  int err = pthread_attr_init(&attr);
  if (err) return err;
  err = pthread_attr_setstacksize(&attr, bytes);
  if (!err) err = pthread_create(&thread, &attr, run, (void*)handle);
  pthread_attr_destroy(&attr);
  if (!err) err = pthread_join(thread, NULL);
  return err;
}
