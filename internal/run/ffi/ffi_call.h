#ifndef CALLIOPE_FFI_CALL_H
#define CALLIOPE_FFI_CALL_H

// What handlers written in C do: the trampoline, and those that tools/bench measures it
// against. All of it is inline, because the C of one Go package cannot call that of
// another.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi_abi.h"

enum { FFI_INVALID_ARGUMENT = 3, FFI_INTERNAL = 13 };  // absl status codes

// What a call hands to Go when XLA executes it, and what Go answers.
typedef struct calliope_call {
  ffi_frame* frame;
  const ffi_api* api;
  uintptr_t site;
  int64_t run_id;
  int32_t device;
  int32_t host;                  // the run is one of a host, not of this module
  int32_t on_device;             // the operands and results are in the device's memory
  void* stream;                  // of the call, a CUstream; where on_device is not 0
  int32_t code;                  // out
  char* message;                 // out
  struct calliope_call* outer;  // the call around it on this thread
  int32_t left;                 // of calliope_ffi_enter: over, and still in the thread's list
} calliope_call;

static inline ffi_error* ffi_new_error(const ffi_api* api, int32_t code, const char* message) {
  ffi_error_create_args args = {
      .struct_size = FFI_SIZE(ffi_error_create_args, code), .message = message, .code = code};
  return api->error_create(&args);
}

static inline void ffi_drop_error(const ffi_api* api, ffi_error* error) {
  if (error == NULL) return;
  ffi_error_destroy_args destroy = {.struct_size = sizeof destroy, .error = error};
  api->error_destroy(&destroy);
}

// Reads an error. The message is valid until the error is destroyed. The code is 0 before
// FFI 0.4.
static inline ffi_error_details_args ffi_error_details(const ffi_api* api, ffi_error* error) {
  ffi_error_details_args args = {.struct_size = api->version.minor >= 4
                                                    ? FFI_SIZE(ffi_error_details_args, code)
                                                    : FFI_SIZE(ffi_error_details_args, message),
                                 .error = error};
  api->error_details(&args);
  return args;
}

// Turns an error, or NULL, into a malloc'ed text, or NULL, and frees it.
static inline char* ffi_error_text(const ffi_api* api, const char* doing, ffi_error* error) {
  if (error == NULL) return NULL;
  ffi_error_details_args args = ffi_error_details(api, error);
  const char* message = args.message ? args.message : "no message";
  size_t size = strlen(doing) + strlen(message) + sizeof ": ";
  char* text = malloc(size);
  if (text == NULL) abort();
  snprintf(text, size, "%s: %s", doing, message);
  ffi_drop_error(api, error);
  return text;
}

// Answers XLA's question for the version, which comes as a call when a handler is
// registered; returns 1 where it was asked. The version is the plugin's own: it refuses a
// later one, silently.
static inline int ffi_answer_metadata(ffi_frame* frame) {
  for (ffi_extension* e = frame->extensions; e != NULL; e = e->next) {
    if (e->type != FFI_EXTENSION_METADATA) continue;
    ffi_metadata* metadata = ((ffi_metadata_extension*)e)->metadata;
    metadata->version.major = 0;
    metadata->version.minor = frame->api ? frame->api->version.minor : 1;
    metadata->traits = 0;  // never compatible with command buffers: they replay no calls
    return 1;
  }
  return 0;
}

// Registers the type of the state that a handler keeps for a call site.
static inline char* ffi_register_type(const ffi_api* api, const char* name, const ffi_type_info* info,
                                      int64_t* type_id) {
  ffi_type_register_args args = {
      .struct_size = sizeof args, .name = {name, strlen(name)}, .type_id = type_id, .info = info};
  return ffi_error_text(api, "registering the state of call sites", api->type_register(&args));
}

// Registers a handler for a platform of XLA, such as "Host". instantiate may be NULL.
static inline char* ffi_register(const ffi_api* api, const char* target, const char* platform,
                                 ffi_handler instantiate, ffi_handler execute) {
  ffi_handler_register_args args = {.struct_size = FFI_SIZE(ffi_handler_register_args, traits),
                                    .name = {target, strlen(target)},
                                    .platform = {platform, strlen(platform)},
                                    .instantiate = instantiate,
                                    .execute = execute};
  return ffi_error_text(api, "registering a handler", api->handler_register(&args));
}

// The state's structure is the one place where FFI 0.2 and later ones differ in a call.
static inline ffi_error* ffi_state_set(const ffi_api* api, int64_t* type_id, ffi_context* context, void* state) {
  if (api->version.minor >= 3) {
    ffi_state_args_3 args = {.struct_size = sizeof args,
                             .context = context,
                             .stage = FFI_STAGE_INSTANTIATE,
                             .type_id = type_id,
                             .state = state};
    return api->state_set(&args);
  }
  ffi_state_args_2 args = {.struct_size = sizeof args, .context = context, .type_id = type_id, .state = state};
  return api->state_set(&args);
}

static inline ffi_error* ffi_state_get(const ffi_api* api, int64_t* type_id, ffi_context* context, void** state) {
  if (api->version.minor >= 3) {
    ffi_state_args_3 args = {
        .struct_size = sizeof args, .context = context, .stage = FFI_STAGE_INSTANTIATE, .type_id = type_id};
    ffi_error* error = api->state_get(&args);
    *state = args.state;
    return error;
  }
  ffi_state_args_2 args = {.struct_size = sizeof args, .context = context, .type_id = type_id};
  ffi_error* error = api->state_get(&args);
  *state = args.state;
  return error;
}

// Fills in what a call needs before anybody handles it.
static inline ffi_error* ffi_open_call(const ffi_api* api, int64_t* type_id, ffi_frame* frame, calliope_call* call) {
  if (frame->struct_size < FFI_SIZE(ffi_frame, attrs)) {
    return ffi_new_error(api, FFI_INTERNAL, "calliope: the call frame is too small");
  }
  void* state = NULL;
  ffi_error* error = ffi_state_get(api, type_id, frame->context, &state);
  if (error != NULL) return error;
  ffi_run_id_args run = {.struct_size = FFI_SIZE(ffi_run_id_args, run_id), .context = frame->context};
  error = api->run_id_get(&run);
  if (error != NULL) return error;
  ffi_device_args device = {.struct_size = FFI_SIZE(ffi_device_args, ordinal), .context = frame->context};
  error = api->device_ordinal_get(&device);
  if (error != NULL) return error;
  call->frame = frame;
  call->api = api;
  call->site = (uintptr_t)state;
  call->run_id = run.run_id;
  call->device = device.ordinal;
  call->host = 0;
  call->on_device = 0;
  call->stream = NULL;
  call->code = 0;
  call->message = NULL;
  call->left = 0;
  return NULL;
}

// Ends a deferred call without an error. XLA may go on with the whole run before this
// returns.
static inline void ffi_finish(const ffi_api* api, ffi_future* future) {
  ffi_future_args args = {.struct_size = sizeof args, .future = future};
  ffi_drop_error(api, api->future_set_available(&args));
}

#endif
