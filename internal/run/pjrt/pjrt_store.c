#include "pjrt_store.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

static __thread uintptr_t next_store;

void calliope_store_next(uintptr_t store) { next_store = store; }

typedef pjrt_error* (*callback_error)(int32_t code, const char* message, size_t size);

// The error of an answer of Go, which has a code of absl::Status and a message that is malloc'ed.
static pjrt_error* failed(int32_t code, char* message, void* make) {
  if (code == 0) return NULL;
  pjrt_error* error = (*(callback_error*)make)(code, message, strlen(message));
  free(message);
  return error;
}

static void free_value(char* value) { free(value); }

static pjrt_error* kv_get(pjrt_kv_get_args* args) {
  char* message = NULL;
  int32_t code = calliopeStore((uintptr_t)args->user_arg, CALLIOPE_STORE_GET, (char*)args->key, args->key_size,
                               args->timeout_in_ms, &args->value, &args->value_size, &message);
  args->delete_value = free_value;
  return failed(code, message, args->callback_error);
}

static pjrt_error* kv_try_get(pjrt_kv_try_get_args* args) {
  char* message = NULL;
  int32_t code = calliopeStore((uintptr_t)args->user_arg, CALLIOPE_STORE_TRY_GET, (char*)args->key, args->key_size, 0,
                               &args->value, &args->value_size, &message);
  args->delete_value = free_value;
  return failed(code, message, args->callback_error);
}

static pjrt_error* kv_put(pjrt_kv_put_args* args) {
  char *message = NULL, *value = (char*)args->value;
  size_t size = args->value_size;
  int32_t code = calliopeStore((uintptr_t)args->user_arg, CALLIOPE_STORE_PUT, (char*)args->key, args->key_size, 0, &value,
                               &size, &message);
  return failed(code, message, args->callback_error);
}

void calliope_store_use(pjrt_client_create_args* args) {
  if (next_store == 0) return;
  args->kv_get_callback = kv_get;
  args->kv_put_callback = kv_put;
  args->kv_try_get_callback = kv_try_get;
  args->kv_get_arg = args->kv_put_arg = args->kv_try_get_arg = (void*)next_store;
  next_store = 0;
}
