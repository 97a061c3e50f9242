#ifndef CALLIOPE_PJRT_ERROR_H
#define CALLIOPE_PJRT_ERROR_H

#include "pjrt_abi.h"

void calliope_error_destroy(const pjrt_api* api, pjrt_error* error);

// The error's message, which lives as long as the error.
pjrt_error_message_args calliope_error_message(const pjrt_api* api, pjrt_error* error);

// Turns an error, or NULL, into a malloc'ed sentence, or NULL, and destroys it.
char* calliope_error_sentence(const pjrt_api* api, const char* doing, pjrt_error* error);

// An absl status code, never 0.
int32_t calliope_error_code(const pjrt_api* api, pjrt_error* error);

#endif
