// A PJRT plugin with an FFI and nothing behind it. -DVARIANT chooses what is wrong
// with it; 0 to 3 are right, with FFI 0.2 to 0.5, and so are those for GPUs and of a host.
// When a handler is registered,
// those instantiate it and call it once, as XLA would, and report what they
// see through an error.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ffi_abi.h"
#include "pjrt_abi.h"

enum {  // as in pjrttest.go
  RIGHT_2,
  RIGHT_3,
  RIGHT_4,
  RIGHT_5,
  NO_TABLE,
  OLD_TABLE,
  OTHER_MAJOR,
  NO_FFI,
  SHORT_EXTENSION,
  OTHER_REGISTER,
  ANY_REGISTER,
  HIDDEN_FFI,
  FFI_1,
  FFI_6,
  SHORT_FFI,
  OTHER_STATE,
  ANY_STATE,
  OTHER_FUTURE,
  TINY_FFI,
  SHORT_FFI_4,
  SHORT_FFI_5,
  OTHER_MESSAGE,
  OTHER_DETAILS,
  OTHER_TYPE,
  NO_SERIALIZE,
  OTHER_SERIALIZE,
  SIZELESS,
  NO_MEMORY,
  RIGHT_CUDA,
  OTHER_STREAM,
  NO_STREAM,
  HOSTED,
  HOSTED_CUDA,
  GARBAGE_TABLE,
  HUGE_TABLE,
  NO_FUNCTIONS,
  EXTENSION_RING,
  PROCESSES,
  UNCONNECTED,
};

enum { CUDA = VARIANT >= PROCESSES || VARIANT == RIGHT_CUDA || VARIANT == NO_STREAM || VARIANT == HOSTED_CUDA };

enum {
  MINOR = VARIANT == FFI_1                                                           ? 1
          : VARIANT == RIGHT_3                                                       ? 3
          : VARIANT == RIGHT_4 || VARIANT == SHORT_FFI_4 || VARIANT == OTHER_DETAILS ? 4
          : VARIANT == RIGHT_5 || VARIANT == SHORT_FFI_5 || VARIANT >= RIGHT_CUDA    ? 5
          : VARIANT == FFI_6                                                         ? 6
                                                                                     : 2,
};

static char message[256];

struct pjrt_error {
  int unused;
};
static struct pjrt_error the_pjrt_error;

struct ffi_error {
  char text[256];
  int code;
};

static pjrt_error* pjrt_fail(const char* text) {
  snprintf(message, sizeof message, "%s", text);
  return &the_pjrt_error;
}

static void pjrt_error_message_(pjrt_error_message_args* args) {
  args->message = message;
  args->message_size = strlen(message);
}

static pjrt_error* pjrt_nothing(void* args) {
  (void)args;
  return NULL;
}

static pjrt_error* pjrt_error_code_(pjrt_error_code_args* args) {
  args->code = 3;
  return NULL;
}

static ffi_error* ffi_fail(const char* text) {
  ffi_error* error = calloc(1, sizeof *error);
  snprintf(error->text, sizeof error->text, "%s", text);
  return error;
}

static ffi_error* check(size_t have, size_t want) {
  char text[100];
  if (have >= want) return NULL;
  snprintf(text, sizeof text, "Unexpected structure size: expected %zu, got %zu.", want, have);
  return ffi_fail(text);
}

static ffi_error* error_create(ffi_error_create_args* args) {
  ffi_error* error = check(args->struct_size, 28);
  if (error != NULL) return error;
  error = ffi_fail(args->message);
  error->code = args->code;
  return error;
}
// Like XLA's, it does nothing when the structure is too small.
static void error_details(ffi_error_details_args* args) {
  if (args->struct_size < (MINOR >= 4 ? 36 : 32)) return;
  args->message = VARIANT == OTHER_MESSAGE && args->error->code != 0 ? "another" : args->error->text;
  if (MINOR >= 4 && VARIANT != OTHER_DETAILS) args->code = args->error->code;
}
static void error_destroy(ffi_error_destroy_args* args) { free(args->error); }

static void (*deleter)(void*);
static void* the_state;

static size_t state_size(void) { return MINOR >= 3 || VARIANT == OTHER_STATE ? 48 : 40; }

static ffi_error* state(void* args, int set) {
  ffi_error* error = VARIANT == ANY_STATE ? NULL : check(*(size_t*)args, state_size());
  if (error != NULL || VARIANT == ANY_STATE) return error;
  void** place;
  if (MINOR >= 3) {
    ffi_state_args_3* a = args;
    if (a->stage != FFI_STAGE_INSTANTIATE || *a->type_id != 42) return ffi_fail("stage or type of the state");
    place = &a->state;
  } else {
    ffi_state_args_2* a = args;
    if (*a->type_id != 42) return ffi_fail("type of the state");
    place = &a->state;
  }
  if (set) the_state = *place;
  else *place = the_state;
  return NULL;
}
static ffi_error* state_set(void* args) { return state(args, 1); }
static ffi_error* state_get(void* args) { return state(args, 0); }

static ffi_error* run_id_get(ffi_run_id_args* args) {
  ffi_error* error = check(args->struct_size, 32);
  if (error == NULL) args->run_id = 77;
  return error;
}

static ffi_error* device_ordinal_get(ffi_device_args* args) {
  ffi_error* error = check(args->struct_size, 28);
  if (error == NULL) args->ordinal = 3;
  return error;
}

// The stream is an address that nobody may read.
static ffi_error* stream_get(ffi_stream_args* args) {
  ffi_error* error = check(args->struct_size, VARIANT == OTHER_STREAM ? 40 : 32);
  if (error != NULL) return error;
  if (!CUDA || VARIANT == NO_STREAM) return ffi_fail("no stream here");
  args->stream = (void*)0x5740;
  return NULL;
}
static ffi_error* device_memory_allocate(ffi_allocate_args* args) { return check(args->struct_size, 48); }
static ffi_error* device_memory_free(ffi_free_args* args) { return check(args->struct_size, 40); }

static struct ffi_future {
  int available;
  char error[256];
} the_future;

static ffi_error* future_create(ffi_future_args* args) {
  ffi_error* error = check(args->struct_size, VARIANT == OTHER_FUTURE ? 32 : 16);
  if (error == NULL) args->future = &the_future;
  return error;
}
static ffi_error* future_set_available(ffi_future_args* args) {
  ffi_error* error = check(args->struct_size, 24);
  if (error == NULL) args->future->available = 1;
  return error;
}
static ffi_error* future_set_error(ffi_future_error_args* args) {
  ffi_error* error = check(args->struct_size, 32);
  if (error != NULL) return error;
  snprintf(args->future->error, sizeof args->future->error, "%s", args->error->text);
  free(args->error);
  return NULL;
}

static ffi_error* type_register(ffi_type_register_args* args) {
  ffi_error* error = check(args->struct_size, VARIANT == OTHER_TYPE ? 48 : 40);
  if (error != NULL) return error;
  if (args->info->struct_size != 24 || args->info->deleter == NULL) return ffi_fail("type info");
  deleter = args->info->deleter;
  *args->type_id = 42;
  return NULL;
}

static ffi_error* handler_register(ffi_handler_register_args* args);

static ffi_api ffi = {
    .struct_size = VARIANT == TINY_FFI      ? 32
                   : VARIANT == SHORT_FFI   ? 184
                   : VARIANT == SHORT_FFI_4 ? 192
                   : VARIANT == SHORT_FFI_5 ? 200
                   : MINOR >= 5             ? 208
                   : MINOR == 4             ? 200
                                            : 192,
    .version = {.struct_size = 24, .major = 0, .minor = MINOR},
    .error_create = error_create,
    .error_details = error_details,
    .error_destroy = error_destroy,
    .handler_register = handler_register,
    .type_register = type_register,
    .state_set = state_set,
    .state_get = state_get,
    .future_create = future_create,
    .future_set_available = future_set_available,
    .future_set_error = future_set_error,
    .run_id_get = run_id_get,
    .device_ordinal_get = device_ordinal_get,
    .stream_get = stream_get,
    .device_memory_allocate = device_memory_allocate,
    .device_memory_free = device_memory_free,
};

// The table of a host, which nobody opens.
static ffi_api hosts;

static ffi_error* handler_register(ffi_handler_register_args* args) {
  ffi_error* error = check(args->struct_size, 84);
  if (error != NULL) return error;
  if (args->name.size == 7 && memcmp(args->name.data, "refused", 7) == 0) return ffi_fail("no more handlers today");
  const char* platform = CUDA ? "CUDA" : "Host";
  if (args->platform.size != 4 || memcmp(args->platform.data, platform, 4) != 0) return ffi_fail("another platform");
  if (args->traits != 0) return ffi_fail("the handler has traits");
  // Since FFI 0.4 the structure may have 92 bytes. XLA takes the size for the layout; none
  // may find a handler or traits behind the shorter one.
  for (int i = 84; i < 96; i++) {
    if (((char*)args)[i] != 0) return ffi_fail("there is something behind the structure");
  }

  ffi_metadata metadata = {.struct_size = sizeof metadata};
  ffi_metadata_extension extension = {
      .base = {.struct_size = sizeof extension, .type = FFI_EXTENSION_METADATA}, .metadata = &metadata};
  ffi_frame probe = {.struct_size = sizeof probe, .extensions = &extension.base, .api = &ffi};
  if ((error = args->instantiate(&probe)) != NULL) return error;
  if ((error = args->execute(&probe)) != NULL) return error;
  if (metadata.version.minor != ffi.version.minor) return ffi_fail("the version that the handler says");

  if (VARIANT >= PROCESSES) return NULL;
  const ffi_api* api = &ffi;
  if (VARIANT == HOSTED || VARIANT == HOSTED_CUDA) {
    hosts = ffi;
    api = &hosts;
  }

  // One attribute of each kind.
  int64_t number = 7, numbers[2] = {8, 9};
  ffi_span text = {"text", 4}, names[4] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, inner_name = {"in", 2};
  ffi_scalar scalar = {.dtype = 5, .value = &number};
  ffi_array array = {.dtype = 5, .size = 2, .data = numbers};
  int32_t inner_kind = FFI_ATTR_SCALAR;
  ffi_span* inner_names[1] = {&inner_name};
  void* inner_items[1] = {&scalar};
  ffi_attrs inner = {.struct_size = sizeof inner, .size = 1, .kinds = &inner_kind, .names = inner_names, .items = inner_items};
  int32_t kinds[4] = {FFI_ATTR_SCALAR, FFI_ATTR_ARRAY, FFI_ATTR_STRING, FFI_ATTR_DICTIONARY};
  ffi_span* all_names[4] = {&names[0], &names[1], &names[2], &names[3]};
  void* items[4] = {&scalar, &array, &text, &inner};
  // XLA puts an extension on each frame for GPUs.
  ffi_extension collectives = {.struct_size = sizeof collectives, .type = 77};
  ffi_frame frame = {.struct_size = sizeof frame, .extensions = CUDA ? &collectives : NULL, .api = api};
  if (VARIANT == RIGHT_CUDA) {
    frame.attrs = (ffi_attrs){.struct_size = sizeof(ffi_attrs)};
    error = args->instantiate(&frame);
    if (error == NULL || strstr(error->text, "no backend_config") == NULL) return ffi_fail("a call without attributes was instantiated");
    free(error);
  }
  frame.attrs = (ffi_attrs){.struct_size = sizeof(ffi_attrs), .size = 4, .kinds = kinds, .names = all_names, .items = items};
  if ((error = args->instantiate(&frame)) != NULL) return error;

  float value = 1.5f;
  ffi_buffer buffer = {.struct_size = sizeof buffer, .dtype = 11, .data = &value};
  int32_t kind = FFI_KIND_BUFFER;
  void* item = &buffer;
  frame.stage = FFI_STAGE_EXECUTE;
  frame.args = (ffi_values){.struct_size = sizeof(ffi_values), .size = 1, .kinds = &kind, .items = &item};
  if ((error = args->execute(&frame)) != NULL) return error;

  // Twice a call that is over later: it fails, then it does not.
  if ((error = args->execute(&frame)) != NULL) return error;
  if (frame.future != &the_future || strcmp(the_future.error, "late") != 0) return ffi_fail("the future's error");
  frame.future = NULL;
  if ((error = args->execute(&frame)) != NULL) return error;
  if (frame.future != &the_future || !the_future.available) return ffi_fail("the future");
  memset(&the_future, 0, sizeof the_future);

  frame.struct_size = 16;
  error = args->execute(&frame);
  if (error == NULL) return ffi_fail("a frame of 16 bytes was accepted");
  free(error);
  error = args->instantiate(&frame);
  if (error == NULL) return ffi_fail("a frame of 16 bytes was instantiated");
  free(error);
  deleter(the_state);
  return NULL;
}

static pjrt_error* register_handler(pjrt_ffi_register_args* args) {
  if (args->struct_size < 52 && VARIANT == ANY_REGISTER) return NULL;
  if (args->struct_size < 52) {
    return pjrt_fail(VARIANT == OTHER_REGISTER ? "Unexpected size: expected 60, got 8." : "Unexpected size: expected 52, got 8.");
  }
  if (args->platform_size != 4 || memcmp(args->platform, CUDA ? "CUDA" : "Host", 4) != 0) return pjrt_fail("another platform");
  if (VARIANT == HIDDEN_FFI) return NULL;
  ffi_metadata metadata = {.struct_size = sizeof metadata};
  ffi_metadata_extension extension = {
      .base = {.struct_size = sizeof extension, .type = FFI_EXTENSION_METADATA}, .metadata = &metadata};
  ffi_frame probe = {.struct_size = sizeof probe, .extensions = &extension.base, .api = &ffi};
  ((ffi_handler)args->handler)(&probe);
  return NULL;
}

static pjrt_ffi_extension extension = {
    .base = {.struct_size = VARIANT == SHORT_EXTENSION ? 40 : 48, .type = PJRT_EXTENSION_FFI},
    .register_handler = register_handler,
};
static pjrt_extension other = {
    .struct_size = sizeof other, .type = CUDA ? PJRT_EXTENSION_GPU : 4,
    .next = VARIANT == NO_FFI ? NULL : VARIANT == EXTENSION_RING ? &other : &extension.base};

// The functions that save executables are there to be asked for the size of a structure.
static pjrt_error* sized(size_t have, size_t want) {
  static char text[100];
  if (have >= want) return NULL;
  snprintf(text, sizeof text, "Unexpected size: expected %zu, got %zu.", want, have);
  return pjrt_fail(text);
}
// SIZELESS looks at no size, and follows every pointer.
static const char saved[] = "saved";
static void drop_serialized(pjrt_serialized* owner) { (void)owner; }
static pjrt_error* get_executable(pjrt_get_executable_args* args) {
  args->executable = args->loaded_executable;
  return NULL;
}
static pjrt_error* serialize(pjrt_serialize_args* args) {
  pjrt_error* error = VARIANT == SIZELESS ? NULL : sized(args->struct_size, VARIANT == OTHER_SERIALIZE ? 64 : 56);
  if (error != NULL) return error;
  args->size = (size_t)*(const volatile char*)args->executable;  // how many bytes there are
  args->data = saved;
  args->deleter = drop_serialized;
  return NULL;
}
static pjrt_error* deserialize(pjrt_deserialize_args* args) {
  if (VARIANT != SIZELESS) return sized(args->struct_size, 48);  // of an older release
  return *(const volatile char*)args->data + *(const volatile char*)args->client == 0 ? pjrt_fail("nothing") : NULL;
}
static pjrt_error* executable_destroy(pjrt_executable_args* args) {
  if (VARIANT != SIZELESS) return sized(args->struct_size, 24);
  return *(const volatile char*)args->executable == 0 ? pjrt_fail("nothing") : NULL;
}

// Clients of two processes, with two devices each. Device n is &devices[n].
static int devices[4];

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* name;
  size_t name_size;
  int type;
  int64_t value;
  size_t value_size;
} option;

struct client {
  int process;
  void *all[4], *own[2];
};

typedef struct {
  int code;
  char message[200];
} store_error;

// Two clients are created at once, each on a thread of its own.
static _Thread_local store_error last_store_error;

static pjrt_error* make_store_error(int code, const char* text, size_t size) {
  last_store_error.code = code;
  snprintf(last_store_error.message, sizeof last_store_error.message, "%.*s", (int)size, text);
  return &the_pjrt_error;
}
static pjrt_error* (*store_error_maker)(int, const char*, size_t) = make_store_error;

static pjrt_error* get(const pjrt_client_create_args* args, const char* key, int timeout, char* value, size_t room) {
  pjrt_kv_get_args get = {.struct_size = sizeof get, .key = key, .key_size = strlen(key), .timeout_in_ms = timeout,
                          .callback_error = &store_error_maker, .user_arg = args->kv_get_arg};
  pjrt_error* error = ((pjrt_error * (*)(pjrt_kv_get_args*)) args->kv_get_callback)(&get);
  if (error != NULL) return error;
  snprintf(value, room, "%.*s", (int)get.value_size, get.value);
  get.delete_value(get.value);
  return NULL;
}

static pjrt_error* try_get(const pjrt_client_create_args* args, const char* key) {
  pjrt_kv_try_get_args get = {.struct_size = sizeof get, .key = key, .key_size = strlen(key),
                              .callback_error = &store_error_maker, .user_arg = args->kv_try_get_arg};
  pjrt_error* error = ((pjrt_error * (*)(pjrt_kv_try_get_args*)) args->kv_try_get_callback)(&get);
  if (error == NULL) get.delete_value(get.value);
  return error;
}

static pjrt_error* put(const pjrt_client_create_args* args, const char* key, const char* value) {
  pjrt_kv_put_args put = {.struct_size = sizeof put, .key = key, .key_size = strlen(key), .value = value,
                          .value_size = strlen(value), .callback_error = &store_error_maker, .user_arg = args->kv_put_arg};
  return ((pjrt_error * (*)(pjrt_kv_put_args*)) args->kv_put_callback)(&put);
}

// Puts what the client was created with, gets what the other process put, and finds out how the store fails.
static pjrt_error* client_create(pjrt_client_create_args* args) {
  struct client* c = calloc(1, sizeof *c);
  char key[32], value[64] = "", text[200];
  int number = -1, count = -1;
  const option* options = args->create_options;
  for (size_t i = 0; i < args->num_options; i++) {
    int is_node = options[i].name_size == 7 && memcmp(options[i].name, "node_id", 7) == 0;
    int is_count = options[i].name_size == 9 && memcmp(options[i].name, "num_nodes", 9) == 0;
    if (options[i].type == 1 && is_node) number = (int)options[i].value;
    if (options[i].type == 1 && is_count) count = (int)options[i].value;
  }
  if (VARIANT == PROCESSES) {
    if (args->kv_get_callback == NULL) return pjrt_fail("the client has no store");
    snprintf(key, sizeof key, "process %d", number);
    snprintf(value, sizeof value, "%d of %d", number, count);
    if (put(args, key, value) != NULL) return pjrt_fail(last_store_error.message);
    snprintf(key, sizeof key, "process %d", 1 - number);
    if (get(args, key, 10000, value, sizeof value) != NULL) return pjrt_fail(last_store_error.message);
    snprintf(text, sizeof text, "%d of %d", 1 - number, count);
    if (strcmp(value, text) != 0) return pjrt_fail(value);
    if (try_get(args, key) != NULL) return pjrt_fail("there is no value to try");
    if (try_get(args, "nothing") == NULL || last_store_error.code != 5) return pjrt_fail("nothing was found");
    if (get(args, "nothing", 1, value, sizeof value) == NULL || last_store_error.code != 4) return pjrt_fail("no deadline");
    if (put(args, "panic", "") == NULL || last_store_error.code != 13) return pjrt_fail("no panic");
  }
  c->process = number < 0 ? 0 : number;
  for (int i = 0; i < 4; i++) c->all[i] = &devices[i];
  for (int i = 0; i < 2; i++) c->own[i] = &devices[2 * c->process + i];
  args->client = c;
  return NULL;
}
static pjrt_error* client_devices(pjrt_devices_args* args) {
  args->devices = ((struct client*)args->client)->all;
  args->num_devices = 4;
  return NULL;
}
static pjrt_error* addressable_devices(pjrt_devices_args* args) {
  args->devices = ((struct client*)args->client)->own;
  args->num_devices = 2;
  return NULL;
}
static pjrt_error* get_description(pjrt_get_description_args* args) {
  args->description = args->device;
  return NULL;
}
static pjrt_error* device_id(pjrt_device_id_args* args) {
  args->id = (int)((int*)args->description - devices);
  return NULL;
}
static pjrt_error* platform_name(struct {
  size_t struct_size;
  void *extensions, *client;
  const char* name;
  size_t size;
}* args) {
  args->name = "cuda";
  args->size = 4;
  return NULL;
}

void* GetPjrtApi(void) {
  if (VARIANT == NO_TABLE) return NULL;
  if (VARIANT == GARBAGE_TABLE) return (void*)0x600000000000;
  size_t size = sizeof(pjrt_api) + 120 * sizeof(void*);
  pjrt_api* api = calloc(1, size);
  api->struct_size = VARIANT == OLD_TABLE ? sizeof(pjrt_api) + 90 * sizeof(void*)
                     : VARIANT == HUGE_TABLE ? SIZE_MAX - 100
                                             : size;
  for (int i = 0; i <= PJRT_FN_LAST_NEEDED && VARIANT != NO_FUNCTIONS; i++) api->functions[i] = pjrt_nothing;
  api->extensions = &other;
  api->version.minor = 81;
  api->version.major = VARIANT == OTHER_MAJOR ? 1 : 0;
  api->functions[PJRT_FN_ERROR_DESTROY] = pjrt_nothing;
  api->functions[PJRT_FN_ERROR_MESSAGE] = pjrt_error_message_;
  api->functions[PJRT_FN_ERROR_GET_CODE] = pjrt_error_code_;
  api->functions[PJRT_FN_SERIALIZE] = VARIANT == NO_SERIALIZE ? NULL : serialize;
  api->functions[PJRT_FN_GET_EXECUTABLE] = get_executable;
  api->functions[PJRT_FN_DESERIALIZE] = deserialize;
  api->functions[PJRT_FN_EXECUTABLE_DESTROY] = executable_destroy;
  if (VARIANT >= PROCESSES) {
    api->functions[PJRT_FN_CLIENT_CREATE] = client_create;
    api->functions[PJRT_FN_DEVICES] = client_devices;
    api->functions[PJRT_FN_ADDRESSABLE_DEVICES] = addressable_devices;
    api->functions[PJRT_FN_GET_DESCRIPTION] = get_description;
    api->functions[PJRT_FN_DEVICE_ID] = device_id;
    api->functions[12] = platform_name;
  }
  if (VARIANT == NO_MEMORY) api->functions[PJRT_FN_MEMORY_STATS] = NULL;
  return api;
}
