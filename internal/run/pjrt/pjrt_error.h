#ifndef CALLIOPE_PJRT_ERROR_H
#define CALLIOPE_PJRT_ERROR_H

// All of it is inline, because the C of other Go packages, which cannot call that of this
// one, uses it too.

#include "pjrt_abi.h"

static inline void calliope_error_destroy(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_destroy_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_DESTROY])(&args);
}

// The error's message, which lives as long as the error.
static inline pjrt_error_message_args calliope_error_message(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_message_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_MESSAGE])(&args);
  return args;
}

// An absl status code, never 0.
static inline int32_t calliope_error_code(const pjrt_api* api, pjrt_error* error) {
  enum { INTERNAL = 13 };
  pjrt_error_code_args code = {.struct_size = PJRT_SIZE(pjrt_error_code_args, code), .error = error};
  pjrt_error* failed = CALL(api, PJRT_FN_ERROR_GET_CODE, &code);
  if (failed != NULL) calliope_error_destroy(api, failed);
  return failed != NULL || code.code == 0 ? INTERNAL : code.code;
}

#endif
