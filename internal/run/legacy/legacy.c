#include "legacy.h"

#include "crash.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  XlaCustomCallStatus status;
  calliope_legacy_result* result;
} call_status;

char calliope_legacy_empty[64];

static void set_success(XlaCustomCallStatus* status) {
  calliope_legacy_result* r = ((call_status*)status)->result;
  free(r->message);
  r->message = NULL;
  r->failed = r->problem = 0;
  r->length = 0;
}

static void set_failure(XlaCustomCallStatus* status, const char* message, size_t length) {
  calliope_legacy_result* r = ((call_status*)status)->result;
  set_success(status);
  r->failed = 1;
  r->length = length;
  if (length == 0) return;
  if (message == NULL) {
    r->problem = CALLIOPE_MESSAGE_NULL;
  } else if (length > CALLIOPE_MESSAGE_LIMIT) {
    r->problem = CALLIOPE_MESSAGE_LONG;
  } else if ((r->message = malloc(length)) == NULL) {
    r->problem = CALLIOPE_MESSAGE_NO_MEMORY;
  } else {
    memcpy(r->message, message, length);
  }
}

void calliope_legacy_set_failure(XlaCustomCallStatus* status, const char* message, size_t length) {
  if (status != NULL) status->set_failure(status, message, length);
}

void calliope_legacy_set_success(XlaCustomCallStatus* status) {
  if (status != NULL) status->set_success(status);
}

const CalliopeCustomCall* calliope_legacy_list(void* function) {
  return ((const CalliopeCustomCall* (*)(void))function)();
}

static void call_function(void* function, int32_t form, void** arrays, const int32_t* slots, size_t n_slots,
                          int32_t out, const char* opaque, size_t opaque_len, calliope_legacy_result* result) {
  call_status call = {{sizeof(XlaCustomCallStatus), set_failure, set_success}, result};
  XlaCustomCallStatus* status = &call.status;
  result->memory = 1;
  if (form == CALLIOPE_CUSTOM_CALL_STREAM) {
    ((void (*)(CUstream, void**, const char*, size_t))function)(NULL, arrays, opaque, opaque_len);
    return;
  }
  if (form == CALLIOPE_CUSTOM_CALL_STREAM_STATUS) {
    ((void (*)(CUstream, void**, const char*, size_t, XlaCustomCallStatus*))function)(NULL, arrays, opaque, opaque_len, status);
    return;
  }
  void* few[64];
  void** memory = few;
  if (n_slots > sizeof few / sizeof *few && (memory = malloc(n_slots * sizeof *memory)) == NULL) {
    result->memory = 0;
    return;
  }
  for (size_t i = 0; i < n_slots; i++) {
    memory[i] = slots[i] >= 0 ? arrays[slots[i]] : (void*)(memory + (-1 - slots[i]));
  }
  void* to = out >= 0 ? arrays[out] : (void*)(memory + (-1 - out));
  const void** in = (const void**)memory;
  switch (form) {
    case CALLIOPE_CUSTOM_CALL_HOST:
      ((void (*)(void*, const void**))function)(to, in);
      break;
    case CALLIOPE_CUSTOM_CALL_HOST_STATUS:
      ((void (*)(void*, const void**, XlaCustomCallStatus*))function)(to, in, status);
      break;
    case CALLIOPE_CUSTOM_CALL_HOST_OPAQUE:
      ((void (*)(void*, const void**, const char*, size_t, XlaCustomCallStatus*))function)(to, in, opaque, opaque_len, status);
      break;
  }
  if (memory != few) free(memory);
}

void calliope_legacy_call(const char* name, void* function, int32_t form, void** arrays, const int32_t* slots,
                          size_t n_slots, int32_t out, const char* opaque, size_t opaque_len,
                          calliope_legacy_result* result) {
  const char* outer = calliope_crash_begin(name);
  call_function(function, form, arrays, slots, n_slots, out, opaque, opaque_len, result);
  calliope_crash_end(outer);
}
