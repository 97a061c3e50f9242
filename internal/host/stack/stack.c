#include "stack.h"

extern void calliopeRunOnStack(uintptr_t handle);

static _Thread_local int started_here;

int calliope_is_on_stack(void) { return started_here; }

#ifdef _WIN32
#include <windows.h>

static DWORD WINAPI run(void* handle) {
  started_here = 1;
  calliopeRunOnStack((uintptr_t)handle);
  return 0;
}

int calliope_on_stack(size_t bytes, uintptr_t handle) {
  HANDLE thread = CreateThread(NULL, bytes, run, (void*)handle, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
  if (thread == NULL) return (int)GetLastError();
  int err = WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0 ? 0 : (int)GetLastError();
  CloseHandle(thread);
  return err;
}

#else
#include <pthread.h>

static void* run(void* handle) {
  started_here = 1;
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
#endif
