#include "pjrt_plugin.h"

#include <stdlib.h>
#include <string.h>

#include "pjrt_error.h"
#include "pjrt_program.h"
#include "pjrt_store.h"

static const pjrt_api* originals[CALLIOPE_MAX_DECORATED];
static __thread void* last_client;

// Stands in for the plugin's Client_Create, and remembers for this thread what that made.
static pjrt_error* client_create(const pjrt_api* api, pjrt_client_create_args* args) {
  pjrt_client_create_args own = {
      .struct_size = sizeof own, .create_options = args->create_options, .num_options = args->num_options};
  calliope_store_use(&own);
  pjrt_error* error = CALL(api, PJRT_FN_CLIENT_CREATE, &own);
  last_client = args->client = error == NULL ? own.client : NULL;
  return error;
}

int calliope_device_id(const pjrt_api* api, void* device) {
  pjrt_get_description_args get = {.struct_size = sizeof get, .device = device};
  pjrt_error* error = CALL(api, PJRT_FN_GET_DESCRIPTION, &get);
  pjrt_device_id_args args = {.struct_size = PJRT_SIZE(pjrt_device_id_args, id), .description = get.description};
  if (error == NULL) error = CALL(api, PJRT_FN_DEVICE_ID, &args);
  if (error == NULL) return args.id;
  calliope_error_destroy(api, error);
  return -1;
}

void* calliope_last_client(const pjrt_api* api, void* const** devices, size_t* num_devices, size_t* in_all) {
  void* client = last_client;
  last_client = NULL;
  if (client == NULL) return NULL;
  pjrt_devices_args args = {.struct_size = sizeof args, .client = client};
  pjrt_error* error = CALL(api, PJRT_FN_DEVICES, &args);
  if (error == NULL) {
    *in_all = args.num_devices;
    error = CALL(api, PJRT_FN_ADDRESSABLE_DEVICES, &args);
  }
  if (error != NULL) {
    calliope_error_destroy(api, error);
    return NULL;
  }
  *devices = args.devices;
  *num_devices = args.num_devices;
  return client;
}

// Stands in for the plugin's Executable_GetCompiledMemoryStats, which is called at the end of a compile, for plugins
// that have none. Nothing reads what it gives.
static pjrt_error* memory_stats(void* args) { return NULL; }

#define ENTRY(i)                                                                                          \
  static pjrt_error* client_create_##i(pjrt_client_create_args* args) {                                   \
    return client_create(originals[i], args);                                                             \
  }                                                                                                       \
  static pjrt_error* compile_##i(pjrt_compile_args* args) { return calliope_compile(originals[i], args); } \
  static pjrt_error* get_executable_##i(pjrt_get_executable_args* args) {                                 \
    return calliope_get_executable(originals[i], args);                                                   \
  }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)

static void* const client_creates[CALLIOPE_MAX_DECORATED] = {client_create_0, client_create_1, client_create_2,
                                                             client_create_3};
static void* const compiles[CALLIOPE_MAX_DECORATED] = {compile_0, compile_1, compile_2, compile_3};
static void* const get_executables[CALLIOPE_MAX_DECORATED] = {get_executable_0, get_executable_1, get_executable_2,
                                                              get_executable_3};

const pjrt_api* calliope_pjrt_decorate(int number, const pjrt_api* api) {
  // Whoever calls through the copy may know functions that this plugin lacks: they read as
  // NULL, not as what lies behind the table.
  size_t room = api->struct_size + 256 * sizeof(void*);
  pjrt_api* table = calloc(1, room);
  if (table == NULL) return NULL;
  memcpy(table, api, api->struct_size);
  table->functions[PJRT_FN_CLIENT_CREATE] = client_creates[number];
  table->functions[PJRT_FN_COMPILE] = compiles[number];
  table->functions[PJRT_FN_GET_EXECUTABLE] = get_executables[number];
  table->functions[PJRT_FN_MEMORY_STATS] = memory_stats;
  originals[number] = api;
  return table;
}

const pjrt_api* calliope_pjrt_api(void* get_api) { return ((const pjrt_api* (*)(void))get_api)(); }

pjrt_error* calliope_pjrt_register(const pjrt_ffi_extension* ffi, size_t struct_size, const char* target,
                                   size_t target_size, const char* platform, void* handler) {
  pjrt_ffi_register_args args = {.struct_size = struct_size,
                                 .target = target,
                                 .target_size = target_size,
                                 .handler = handler,
                                 .platform = platform,
                                 .platform_size = strlen(platform)};
  return ffi->register_handler(&args);
}
