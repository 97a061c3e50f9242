#include "pjrt_plugin.h"
#include "pjrt_error.h"
#include "pjrt_program.h"

#include <stdlib.h>
#include <string.h>

static const pjrt_api* originals[CALLIOPE_MAX_PLUGINS];
static __thread void* last_client;

// Stands in for the plugin's Client_Create, and remembers for this thread what that made.
static pjrt_error* client_create(const pjrt_api* api, pjrt_client_create_args* args) {
  pjrt_error* error = CALL(api, PJRT_FN_CLIENT_CREATE, args);
  last_client = error == NULL ? args->client : NULL;
  return error;
}

void* calliope_last_client(const pjrt_api* api, void* const** devices, size_t* num_devices) {
  void* client = last_client;
  last_client = NULL;
  if (client == NULL) return NULL;
  pjrt_devices_args args = {.struct_size = sizeof args, .client = client};
  pjrt_error* error = CALL(api, PJRT_FN_ADDRESSABLE_DEVICES, &args);
  if (error != NULL) {
    calliope_error_destroy(api, error);
    return NULL;
  }
  *devices = args.devices;
  *num_devices = args.num_devices;
  return client;
}

#define ENTRY(i)                                                                                          \
  static pjrt_error* client_create_##i(pjrt_client_create_args* args) {                                   \
    return client_create(originals[i], args);                                                             \
  }                                                                                                       \
  static pjrt_error* get_executable_##i(pjrt_get_executable_args* args) {                                 \
    return calliope_get_executable(originals[i], args);                                                   \
  }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)

static void* const client_creates[CALLIOPE_MAX_PLUGINS] = {client_create_0, client_create_1, client_create_2,
                                                           client_create_3};
static void* const get_executables[CALLIOPE_MAX_PLUGINS] = {get_executable_0, get_executable_1, get_executable_2,
                                                            get_executable_3};

static char* find_ffi(const pjrt_api* api, const pjrt_ffi_extension** out) {
  for (pjrt_extension* e = api->extensions; e != NULL; e = e->next) {
    if (e->type != PJRT_EXTENSION_FFI) continue;
    if (e->struct_size < sizeof(pjrt_ffi_extension)) {
      return calliope_sentence("the plugin's FFI extension has %zu bytes where %zu are needed: it is too old",
                               e->struct_size, sizeof(pjrt_ffi_extension));
    }
    *out = (const pjrt_ffi_extension*)e;
    return NULL;
  }
  return calliope_sentence("the plugin has no FFI extension, so compiled code cannot call Go");
}

// The structure for registering changed between releases without a version to tell
// by, but the plugin says which size it expects.
static char* boot(const pjrt_api* api, const pjrt_ffi_extension* ffi, const ffi_api** out) {
  static const char target[] = "calliope_boot", host[] = "Host";
  pjrt_ffi_register_args args = {.struct_size = sizeof(size_t),
                                 .target = target,
                                 .target_size = sizeof target - 1,
                                 .handler = (void*)calliope_ffi_boot,
                                 .platform = host,
                                 .platform_size = sizeof host - 1};
  pjrt_error* error = ffi->register_handler(&args);
  if (error == NULL) return calliope_sentence("the plugin registers handlers in an unknown layout");
  pjrt_error_message_args message = calliope_error_message(api, error);
  size_t theirs = calliope_expected_size(message.message, message.message_size);
  calliope_error_destroy(api, error);
  args.struct_size = PJRT_SIZE(pjrt_ffi_register_args, traits);
  if (theirs != args.struct_size) {
    return calliope_sentence("the plugin takes %zu bytes to register a handler where %zu are known", theirs,
                             args.struct_size);
  }
  error = ffi->register_handler(&args);
  if (error != NULL) return calliope_error_sentence(api, "registering the first handler", error);
  *out = calliope_ffi_boot_api();
  if (*out == NULL) return calliope_sentence("the plugin did not show its FFI table");
  return NULL;
}

char* calliope_pjrt_load(int plugin, void* get_api, calliope_plugin* out) {
  const pjrt_api* api = ((const pjrt_api* (*)(void))get_api)();
  if (api == NULL) return calliope_sentence("GetPjrtApi gave no table");
  size_t needed = offsetof(pjrt_api, functions) + (PJRT_FN_LAST_NEEDED + 1) * sizeof(void*);
  if (api->version.major != 0 || api->struct_size < needed) {
    return calliope_sentence("the plugin speaks PJRT %d.%d (a table of %zu bytes); 0.x with at least %zu is needed",
                             api->version.major, api->version.minor, api->struct_size, needed);
  }
  const pjrt_ffi_extension* extension = NULL;
  const ffi_api* ffi = NULL;
  char* sentence = find_ffi(api, &extension);
  if (sentence == NULL) sentence = boot(api, extension, &ffi);
  if (sentence == NULL) sentence = calliope_ffi_init(plugin, ffi);
  if (sentence != NULL) return sentence;

  // gopjrt may know functions that this plugin lacks: they read as NULL, not as
  // what lies behind the table.
  size_t room = api->struct_size + 256 * sizeof(void*);
  pjrt_api* table = calloc(1, room);
  if (table == NULL) return calliope_sentence("out of memory");
  memcpy(table, api, api->struct_size);
  table->functions[PJRT_FN_CLIENT_CREATE] = client_creates[plugin];
  table->functions[PJRT_FN_GET_EXECUTABLE] = get_executables[plugin];
  originals[plugin] = api;
  out->api = api;
  out->table = table;
  out->ffi = ffi;
  return NULL;
}
