#ifndef CALLIOPE_SHARED_API_H
#define CALLIOPE_SHARED_API_H

// What api.c and the Go files of this package share.

#include "../include/calliope.h"

// A call with what the host does not see.
typedef struct {
  calliope_call call;
  char* message;  // malloc'ed, of calliope_fail; NULL if there was none
  size_t message_size;
  int32_t stopped;
} calliope_shared_call;

// Keeps a malloc'ed message for calliope_error_message.
void calliope_shared_set_error(char* message);

// Returns the path of the library that has this code, or NULL.
const char* calliope_shared_path(void);

// Calls a function. Its user data is an integer in Go, because it need not be an address: Go's
// runtime refuses pointers such as (void*)1.
calliope_status calliope_shared_invoke(calliope_function function, uintptr_t user_data, calliope_shared_call* call);

static inline void calliope_shared_drop(void (*drop)(void*), uintptr_t user_data) { drop((void*)user_data); }

static inline void calliope_shared_stop(calliope_shared_call* call) {
  __atomic_store_n(&call->stopped, 1, __ATOMIC_RELEASE);
}

#endif
