#include "pjrt_error.h"

#include "ffi_handler.h"

void calliope_error_destroy(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_destroy_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_DESTROY])(&args);
}

pjrt_error_message_args calliope_error_message(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_message_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_MESSAGE])(&args);
  return args;
}

char* calliope_error_sentence(const pjrt_api* api, const char* doing, pjrt_error* error) {
  if (error == NULL) return NULL;
  pjrt_error_message_args message = calliope_error_message(api, error);
  char* text = calliope_sentence("%s: %.*s", doing, (int)message.message_size, message.message);
  calliope_error_destroy(api, error);
  return text;
}

int32_t calliope_error_code(const pjrt_api* api, pjrt_error* error) {
  enum { INTERNAL = 13 };
  pjrt_error_code_args code = {.struct_size = PJRT_SIZE(pjrt_error_code_args, code), .error = error};
  pjrt_error* failed = CALL(api, PJRT_FN_ERROR_GET_CODE, &code);
  if (failed != NULL) calliope_error_destroy(api, failed);
  return failed != NULL || code.code == 0 ? INTERNAL : code.code;
}
