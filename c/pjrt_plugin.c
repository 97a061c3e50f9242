#include "pjrt_plugin.h"
#include "pjrt_program.h"

#include <stdlib.h>
#include <string.h>

extern void calliopePJRTDone(uintptr_t handle);

static const pjrt_api* originals[CALLIOPE_MAX_PLUGINS];
static __thread calliope_run* current;

static void error_destroy(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_destroy_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_DESTROY])(&args);
}

static pjrt_error_message_args error_message(const pjrt_api* api, pjrt_error* error) {
  pjrt_error_message_args args = {.struct_size = sizeof args, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_MESSAGE])(&args);
  return args;
}

// Keeps the first error of a run. Several devices may fail at once, on threads of
// XLA's.
static void keep_error(calliope_run* run, pjrt_error* error) {
  pjrt_error_code_args code = {.struct_size = PJRT_SIZE(pjrt_error_code_args, code), .error = error};
  pjrt_error* failed = CALL(run->api, PJRT_FN_ERROR_GET_CODE, &code);
  if (failed != NULL || code.code == 0) code.code = 13;
  if (failed != NULL) error_destroy(run->api, failed);
  int32_t none = 0;
  if (__atomic_compare_exchange_n(&run->code, &none, code.code, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    pjrt_error_message_args message = error_message(run->api, error);
    run->message = malloc(message.message_size + 1);
    if (run->message != NULL) {
      memcpy(run->message, message.message, message.message_size);
      run->message[message.message_size] = 0;
      run->message_size = message.message_size;
    }
  }
  error_destroy(run->api, error);
}

calliope_run* calliope_run_new(const pjrt_api* api, int32_t id, int32_t devices) {
  calliope_run* run = calloc(1, sizeof *run + (size_t)devices * sizeof(pjrt_event*));
  if (run == NULL) abort();
  run->api = api;
  run->id = id;
  run->capacity = devices;
  return run;
}

void calliope_run_free(calliope_run* run) {
  for (int32_t i = 0; i < run->num_events; i++) {
    pjrt_event_args args = {.struct_size = sizeof args, .event = run->events[i]};
    pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_DESTROY, &args);
    if (error != NULL) error_destroy(run->api, error);
  }
  free(run->message);
  free(run);
}

void calliope_run_begin(calliope_run* run) { current = run; }

int calliope_run_ready(calliope_run* run) {
  for (int32_t i = 0; i < run->num_events; i++) {
    pjrt_event_ready_args args = {.struct_size = PJRT_SIZE(pjrt_event_ready_args, ready),
                                  .event = run->events[i]};
    pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_IS_READY, &args);
    if (error != NULL) error_destroy(run->api, error);
    if (error != NULL || !args.ready) return 0;
  }
  return 1;
}

void calliope_run_await(calliope_run* run) {
  for (int32_t i = 0; i < run->num_events; i++) {
    pjrt_event_args args = {.struct_size = sizeof args, .event = run->events[i]};
    pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_AWAIT, &args);
    if (error != NULL) keep_error(run, error);
  }
}

static void one_less(calliope_run* run) {
  // The handle is read before the count drops: from then on the run may be freed.
  uintptr_t handle = run->handle;
  if (__atomic_sub_fetch(&run->pending, 1, __ATOMIC_ACQ_REL) == 0) calliopePJRTDone(handle);
}

static void on_ready(pjrt_error* error, void* arg) {
  calliope_run* run = arg;
  if (error != NULL) keep_error(run, error);
  one_less(run);
}

void calliope_run_notify(calliope_run* run, uintptr_t handle) {
  run->handle = handle;
  int32_t events = run->num_events;
  run->pending = events + 1;  // one for this function, which still reads the run
  for (int32_t i = 0; i < events; i++) {
    pjrt_event_on_ready_args args = {
        .struct_size = sizeof args, .event = run->events[i], .callback = on_ready, .arg = run};
    pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_ON_READY, &args);
    if (error != NULL) on_ready(error, run);
  }
  one_less(run);
}

// Stands in for the plugin's Execute. It gives the run its identity and takes over
// its events: a caller that finds none waits for none, so that starting is not
// waiting, and no device is forgotten when another one fails.
static pjrt_error* execute(const pjrt_api* api, pjrt_execute_args* args) {
  static pjrt_buffer** const no_outputs[1] = {NULL};
  calliope_run* run = current;
  current = NULL;  // an execution inside a callback of this one is another run
  if (run != NULL && run->num_events == 0 && args->num_devices <= (size_t)run->capacity) {
    args->options->launch_id = run->id;
  } else {
    run = NULL;
  }
  pjrt_error* error = CALL(api, PJRT_FN_EXECUTE, args);
  if (error == NULL && run != NULL) {
    for (size_t i = 0; i < args->num_devices; i++) run->events[i] = args->complete_events[i];
    run->num_events = (int32_t)args->num_devices;
    args->complete_events = NULL;
  }
  // A module without results has no output lists, and gopjrt reads the first one.
  if (args->output_lists == NULL) args->output_lists = no_outputs;
  return error;
}

#define ENTRY(i)                                                                                          \
  static pjrt_error* execute_##i(pjrt_execute_args* args) { return execute(originals[i], args); }         \
  static pjrt_error* get_executable_##i(pjrt_get_executable_args* args) {                                 \
    return calliope_get_executable(originals[i], args);                                                   \
  }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)

static void* const executes[CALLIOPE_MAX_PLUGINS] = {execute_0, execute_1, execute_2, execute_3};
static void* const get_executables[CALLIOPE_MAX_PLUGINS] = {get_executable_0, get_executable_1, get_executable_2,
                                                            get_executable_3};

static char* sentence_of(const pjrt_api* api, const char* doing, pjrt_error* error) {
  pjrt_error_message_args message = error_message(api, error);
  char* text = calliope_sentence("%s: %.*s", doing, (int)message.message_size, message.message);
  error_destroy(api, error);
  return text;
}

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
  pjrt_error_message_args message = error_message(api, error);
  size_t theirs = calliope_expected_size(message.message, message.message_size);
  error_destroy(api, error);
  args.struct_size = PJRT_SIZE(pjrt_ffi_register_args, traits);
  if (theirs != args.struct_size) {
    return calliope_sentence("the plugin takes %zu bytes to register a handler where %zu are known", theirs,
                             args.struct_size);
  }
  error = ffi->register_handler(&args);
  if (error != NULL) return sentence_of(api, "registering the first handler", error);
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
  table->functions[PJRT_FN_EXECUTE] = executes[plugin];
  table->functions[PJRT_FN_GET_EXECUTABLE] = get_executables[plugin];
  originals[plugin] = api;
  out->api = api;
  out->table = table;
  out->ffi = ffi;
  return NULL;
}
