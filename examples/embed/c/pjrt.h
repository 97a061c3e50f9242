// Compiles and runs a module of one array through a PJRT plugin. It stands for what a host has
// anyway, which includes XLA's pjrt_c_api.h.

#ifndef HOST_PJRT_H
#define HOST_PJRT_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../internal/run/pjrt/pjrt_abi.h"

static const struct PJRT_Api* load_plugin(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return ((const struct PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi"))();
}

static void must(const pjrt_api* api, pjrt_error* error) {
  if (error == NULL) return;
  pjrt_error_message_args message = {.struct_size = sizeof message, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_MESSAGE])(&message);
  fprintf(stderr, "PJRT: %.*s\n", (int)message.message_size, message.message);
  exit(1);
}

static void await(const pjrt_api* api, pjrt_event* event) {
  pjrt_event_args args = {.struct_size = sizeof args, .event = event};
  must(api, CALL(api, PJRT_FN_EVENT_AWAIT, &args));
  must(api, CALL(api, PJRT_FN_EVENT_DESTROY, &args));
}

// Destroys a buffer, an executable or a client, each by its own function.
static void destroy(const pjrt_api* api, int function, void* object) {
  struct {
    size_t struct_size;
    pjrt_extension* extensions;
    void* object;
  } args = {.struct_size = sizeof args, .object = object};
  must(api, CALL(api, function, &args));
}

// Runs a module from f32[n] to f32[n] on a new client.
static void run(const struct PJRT_Api* plugin, const char* module, size_t size, const float* x, float* y, int64_t n) {
  const pjrt_api* api = (const pjrt_api*)plugin;
  pjrt_client_create_args create = {.struct_size = sizeof create};
  must(api, CALL(api, PJRT_FN_CLIENT_CREATE, &create));
  pjrt_devices_args devices = {.struct_size = sizeof devices, .client = create.client};
  must(api, CALL(api, PJRT_FN_ADDRESSABLE_DEVICES, &devices));

  static const char one_device[] = "\x1a\x04\x20\x01\x28\x01";  // num_replicas and num_partitions are 1
  pjrt_program program = {.struct_size = sizeof program,
                          .code = (char*)module,
                          .code_size = size,
                          .format = "mlir",
                          .format_size = 4};
  pjrt_compile_args compile = {.struct_size = sizeof compile,
                               .client = create.client,
                               .program = &program,
                               .options = one_device,
                               .options_size = sizeof one_device - 1};
  must(api, CALL(api, PJRT_FN_COMPILE, &compile));

  enum { F32 = 11 };  // PJRT_Buffer_Type_F32
  pjrt_from_host_args from = {.struct_size = sizeof from,
                              .client = create.client,
                              .data = x,
                              .type = F32,
                              .dims = &n,
                              .num_dims = 1,
                              .device = devices.devices[0]};
  must(api, CALL(api, PJRT_FN_BUFFER_FROM_HOST, &from));
  await(api, from.done);

  pjrt_execute_options options = {.struct_size = sizeof options};
  pjrt_buffer* arguments[] = {from.buffer};
  pjrt_buffer** argument_list[] = {arguments};
  pjrt_buffer* results[] = {NULL};
  pjrt_buffer** result_list[] = {results};
  pjrt_event* events[] = {NULL};
  pjrt_execute_args execute = {.struct_size = sizeof execute,
                               .executable = compile.executable,
                               .options = &options,
                               .argument_lists = argument_list,
                               .num_devices = 1,
                               .num_args = 1,
                               .output_lists = result_list,
                               .complete_events = events};
  must(api, CALL(api, PJRT_FN_EXECUTE, &execute));
  await(api, events[0]);

  pjrt_to_host_args to = {
      .struct_size = sizeof to, .buffer = results[0], .dst = y, .dst_size = (size_t)n * sizeof *y};
  must(api, CALL(api, PJRT_FN_BUFFER_TO_HOST, &to));
  await(api, to.event);
  destroy(api, PJRT_FN_BUFFER_DESTROY, results[0]);
  destroy(api, PJRT_FN_BUFFER_DESTROY, from.buffer);
  destroy(api, PJRT_FN_LOADED_EXECUTABLE_DESTROY, compile.executable);
  destroy(api, PJRT_FN_CLIENT_DESTROY, create.client);
}

#endif
