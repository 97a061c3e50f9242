#define _GNU_SOURCE
#include "ffi_handler.h"
#include "underway.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void calliopeFFIInstantiate(calliope_instantiation*);
extern void calliopeFFIExecute(calliope_call*);
extern void calliopeFFIDelete(uintptr_t);

static calliope_ffi plugins[CALLIOPE_MAX_PLUGINS];
static __thread calliope_call* inside;

// The state of the bench handler's sites: no number that Go gives.
#define BENCH_SITE ((void*)UINTPTR_MAX)

enum { CODE_INVALID_ARGUMENT = 3, CODE_INTERNAL = 13 };

// Takes from the list what was left on other threads. Only calls of calliope_ffi_enter
// ever are, which are malloc'ed.
static void drop_left(void) {
  while (inside != NULL && __atomic_load_n(&inside->left, __ATOMIC_ACQUIRE)) {
    calliope_call* call = inside;
    inside = call->outer;
    free(call);
  }
}

calliope_call* calliope_ffi_inside(void) {
  drop_left();
  return inside;
}

char* calliope_sentence(const char* format, ...) {
  char* text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = strdup("out of memory");
  va_end(args);
  return text;
}

size_t calliope_expected_size(const char* message, size_t size) {
  static const char word[] = ": expected ";
  const char* at = memmem(message, size, word, sizeof word - 1);
  size_t n = 0;
  if (at == NULL) return 0;
  for (at += sizeof word - 1; at < message + size && *at >= '0' && *at <= '9'; at++) {
    n = n * 10 + (size_t)(*at - '0');
  }
  return n;
}

static ffi_error* new_error(const ffi_api* api, int32_t code, const char* message) {
  ffi_error_create_args args = {
      .struct_size = FFI_SIZE(ffi_error_create_args, code), .message = message, .code = code};
  return api->error_create(&args);
}

// Answers XLA's question for the version, which comes as a call when a handler is
// registered. The version is the plugin's own: it refuses a later one, silently.
static int answer_metadata(ffi_frame* frame) {
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

static const ffi_api* boot_api;

const ffi_api* calliope_ffi_boot_api(void) {
  const ffi_api* api = boot_api;
  boot_api = NULL;
  return api;
}

ffi_error* calliope_ffi_boot(ffi_frame* frame) {
  if (answer_metadata(frame)) {
    boot_api = frame->api;
    return NULL;
  }
  return new_error(frame->api, CODE_INVALID_ARGUMENT,
                   "calliope: this target only exists to find the FFI; no module may call it");
}

// The state's structure is the one place where FFI 0.2 and 0.3 differ for us.
static ffi_error* state_set(calliope_ffi* p, ffi_context* context, void* state) {
  if (p->api->version.minor >= 3) {
    ffi_state_args_3 args = {.struct_size = sizeof args,
                             .context = context,
                             .stage = FFI_STAGE_INSTANTIATE,
                             .type_id = &p->type_id,
                             .state = state};
    return p->api->state_set(&args);
  }
  ffi_state_args_2 args = {
      .struct_size = sizeof args, .context = context, .type_id = &p->type_id, .state = state};
  return p->api->state_set(&args);
}

static inline ffi_error* state_get(calliope_ffi* p, ffi_context* context, void** state) {
  if (p->api->version.minor >= 3) {
    ffi_state_args_3 args = {.struct_size = sizeof args,
                             .context = context,
                             .stage = FFI_STAGE_INSTANTIATE,
                             .type_id = &p->type_id};
    ffi_error* error = p->api->state_get(&args);
    *state = args.state;
    return error;
  }
  ffi_state_args_2 args = {.struct_size = sizeof args, .context = context, .type_id = &p->type_id};
  ffi_error* error = p->api->state_get(&args);
  *state = args.state;
  return error;
}

// Fills in what a call needs before anybody handles it.
static inline ffi_error* open_call(calliope_ffi* p, ffi_frame* frame, calliope_call* call) {
  if (frame->struct_size < FFI_SIZE(ffi_frame, attrs)) {
    return new_error(p->api, CODE_INTERNAL, "calliope: the call frame is too small");
  }
  void* state = NULL;
  ffi_error* error = state_get(p, frame->context, &state);
  if (error != NULL) return error;
  ffi_run_id_args run = {.struct_size = FFI_SIZE(ffi_run_id_args, run_id), .context = frame->context};
  error = p->api->run_id_get(&run);
  if (error != NULL) return error;
  ffi_device_args device = {.struct_size = FFI_SIZE(ffi_device_args, ordinal),
                            .context = frame->context};
  error = p->api->device_ordinal_get(&device);
  if (error != NULL) return error;
  call->frame = frame;
  call->api = p->api;
  call->site = (uintptr_t)state;
  call->run_id = run.run_id;
  call->device = device.ordinal;
  call->code = 0;
  call->message = NULL;
  call->left = 0;
  return NULL;
}

static ffi_error* take_error(calliope_ffi* p, int32_t code, char* message) {
  ffi_error* error = new_error(p->api, code, message ? message : "calliope: error without a message");
  free(message);
  return error;
}

calliope_call* calliope_ffi_enter(int64_t run_id) {
  calliope_call* call = calloc(1, sizeof *call);
  if (call == NULL) abort();
  drop_left();
  call->run_id = run_id;
  call->outer = inside;
  inside = call;
  return call;
}

void calliope_ffi_leave(calliope_call* call) {
  if (inside == call) {
    inside = call->outer;
    free(call);
  } else {
    __atomic_store_n(&call->left, 1, __ATOMIC_RELEASE);
  }
}

static void drop_error(const ffi_api* api, ffi_error* error) {
  if (error == NULL) return;
  ffi_error_destroy_args destroy = {.struct_size = sizeof destroy, .error = error};
  api->error_destroy(&destroy);
}

ffi_future* calliope_ffi_defer(calliope_call* call) {
  // The size of a frame does not count its last field, the future; each version that
  // calliope_ffi_init takes has it.
  ffi_future_args args = {.struct_size = sizeof args};
  ffi_error* error = call->api->future_create(&args);
  drop_error(call->api, error);
  if (error != NULL) return NULL;
  call->frame->future = args.future;
  return args.future;
}

void calliope_ffi_finish(const ffi_api* api, ffi_future* future, int32_t code, char* message) {
  if (code == 0) {
    ffi_future_args args = {.struct_size = sizeof args, .future = future};
    drop_error(api, api->future_set_available(&args));
    return;
  }
  ffi_error_create_args make = {.struct_size = FFI_SIZE(ffi_error_create_args, code),
                                .message = message ? message : "calliope: error without a message",
                                .code = code};
  ffi_future_error_args args = {
      .struct_size = sizeof args, .future = future, .error = api->error_create(&make)};
  free(message);
  drop_error(api, api->future_set_error(&args));
}

static ffi_error* instantiate(calliope_ffi* p, ffi_frame* frame) {
  if (frame->extensions != NULL && answer_metadata(frame)) return NULL;
  if (frame->struct_size < FFI_SIZE(ffi_frame, attrs)) {
    return new_error(p->api, CODE_INTERNAL, "calliope: the call frame is too small");
  }
  calliope_instantiation in = {.frame = frame};
  calliopeFFIInstantiate(&in);
  if (in.code != 0) return take_error(p, in.code, in.message);
  ffi_error* error = state_set(p, frame->context, (void*)in.site);
  if (error != NULL) calliopeFFIDelete(in.site);
  return error;
}

static ffi_error* execute(calliope_ffi* p, ffi_frame* frame) {
  if (__builtin_expect(frame->extensions != NULL, 0) && answer_metadata(frame)) return NULL;
  calliope_call call;
  ffi_error* error = open_call(p, frame, &call);
  if (__builtin_expect(error != NULL, 0)) return error;
  call.outer = inside;
  inside = &call;
  calliope_underway_begin(call.run_id, call.site);
  calliopeFFIExecute(&call);
  calliope_underway_end();
  inside = call.outer;
  if (__builtin_expect(call.code != 0, 0)) return take_error(p, call.code, call.message);
  return NULL;
}

static void delete_state(void* state) {
  if (state != NULL && state != BENCH_SITE) calliopeFFIDelete((uintptr_t)state);
}

static ffi_error* bench_instantiate(calliope_ffi* p, ffi_frame* frame) {
  if (frame->extensions != NULL && answer_metadata(frame)) return NULL;
  return state_set(p, frame->context, BENCH_SITE);
}

static ffi_error* bench_execute(calliope_ffi* p, ffi_frame* frame) {
  if (frame->extensions != NULL && answer_metadata(frame)) return NULL;
  calliope_call call;
  ffi_error* error = open_call(p, frame, &call);
  if (error != NULL) return error;
  for (int64_t i = 0; i < frame->args.size && i < frame->results.size; i++) {
    if (frame->args.kinds[i] != FFI_KIND_BUFFER || frame->results.kinds[i] != FFI_KIND_BUFFER) {
      return new_error(p->api, CODE_INTERNAL, "calliope: not a buffer");
    }
    ffi_buffer* from = frame->args.items[i];
    ffi_buffer* to = frame->results.items[i];
    if (from->data != to->data) {
      return new_error(p->api, CODE_INTERNAL, "calliope: the bench handler needs its aliases honoured");
    }
  }
  return NULL;
}

// Of a target whose calls always have attributes: without this they would fail only
// when they run, as calls whose id is an operand.
static ffi_error* own_instantiate(calliope_ffi* p, ffi_frame* frame) {
  if (frame->extensions == NULL && frame->struct_size >= FFI_SIZE(ffi_frame, attrs) && frame->attrs.size == 0) {
    return new_error(p->api, CODE_INVALID_ARGUMENT,
                     "calliope: the call has no backend_config: it lacks the key \"v\", and what says who is called");
  }
  return instantiate(p, frame);
}

#define ENTRIES(i)                                                                              \
  static ffi_error* instantiate_##i(ffi_frame* f) { return instantiate(&plugins[i], f); }       \
  static ffi_error* own_instantiate_##i(ffi_frame* f) { return own_instantiate(&plugins[i], f); } \
  static ffi_error* execute_##i(ffi_frame* f) { return execute(&plugins[i], f); }               \
  static ffi_error* bench_instantiate_##i(ffi_frame* f) {                                       \
    return bench_instantiate(&plugins[i], f);                                                   \
  }                                                                                             \
  static ffi_error* bench_execute_##i(ffi_frame* f) { return bench_execute(&plugins[i], f); }
ENTRIES(0)
ENTRIES(1)
ENTRIES(2)
ENTRIES(3)

static const ffi_handler entries[CALLIOPE_MAX_PLUGINS][6] = {
    {instantiate_0, execute_0, own_instantiate_0, execute_0, bench_instantiate_0, bench_execute_0},
    {instantiate_1, execute_1, own_instantiate_1, execute_1, bench_instantiate_1, bench_execute_1},
    {instantiate_2, execute_2, own_instantiate_2, execute_2, bench_instantiate_2, bench_execute_2},
    {instantiate_3, execute_3, own_instantiate_3, execute_3, bench_instantiate_3, bench_execute_3},
};

// Turns an error of the FFI into a sentence, and frees it.
static char* sentence_of(const ffi_api* api, const char* doing, ffi_error* error) {
  if (error == NULL) return NULL;
  ffi_error_message_args message = {.struct_size = sizeof message, .error = error};
  api->error_message(&message);
  char* text = calliope_sentence("%s: %s", doing, message.message ? message.message : "no message");
  ffi_error_destroy_args destroy = {.struct_size = sizeof destroy, .error = error};
  api->error_destroy(&destroy);
  return text;
}

// Holds the size of one argument structure against the plugin's: a structure of 8
// bytes is refused with the size that was expected, before anything in it is read.
static char* check_size(const ffi_api* api, const char* name, ffi_error* (*function)(void*), size_t ours) {
  struct {
    size_t struct_size;
    void* zeros[15];
  } small = {.struct_size = sizeof(size_t)};
  char* text = sentence_of(api, name, function(&small));
  if (text == NULL) return calliope_sentence("%s accepted a structure of 8 bytes", name);
  size_t theirs = calliope_expected_size(text, strlen(text));
  if (theirs == ours) {
    free(text);
    return NULL;
  }
  char* sentence = calliope_sentence("the plugin's %s takes %zu bytes where %zu are known (it said: %s)",
                                     name, theirs, ours, text);
  free(text);
  return sentence;
}

static char* check_layouts(const ffi_api* api) {
  typedef ffi_error* (*function)(void*);
  size_t state = api->version.minor >= 3 ? sizeof(ffi_state_args_3) : sizeof(ffi_state_args_2);
  struct {
    const char* name;
    function call;
    size_t size;
  } checks[] = {
      {"Error_Create", (function)api->error_create, FFI_SIZE(ffi_error_create_args, code)},
      {"Handler_Register", (function)api->handler_register, FFI_SIZE(ffi_handler_register_args, traits)},
      {"State_Set", (function)api->state_set, state},
      {"State_Get", (function)api->state_get, state},
      // XLA counts this one without the future that it fills in.
      {"Future_Create", (function)api->future_create, FFI_SIZE(ffi_future_args, extensions)},
      {"Future_SetAvailable", (function)api->future_set_available, sizeof(ffi_future_args)},
      {"Future_SetError", (function)api->future_set_error, sizeof(ffi_future_error_args)},
      {"RunId_Get", (function)api->run_id_get, FFI_SIZE(ffi_run_id_args, run_id)},
      {"DeviceOrdinal_Get", (function)api->device_ordinal_get, FFI_SIZE(ffi_device_args, ordinal)},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    char* sentence = check_size(api, checks[i].name, checks[i].call, checks[i].size);
    if (sentence != NULL) return sentence;
  }
  return NULL;
}

char* calliope_ffi_init(int plugin, const ffi_api* api) {
  if (api->struct_size < sizeof(ffi_api)) {
    return calliope_sentence("the plugin's FFI table has %zu bytes where %zu are needed", api->struct_size,
                             sizeof(ffi_api));
  }
  if (api->version.major != 0 || api->version.minor < 2 || api->version.minor > 3) {
    return calliope_sentence("the plugin speaks XLA FFI %d.%d; only 0.2 and 0.3 are known",
                             api->version.major, api->version.minor);
  }
  char* sentence = check_layouts(api);
  if (sentence != NULL) return sentence;

  calliope_ffi* p = &plugins[plugin];
  p->api = api;
  static const char name[] = "calliope_site";
  static const ffi_type_info info = {.struct_size = sizeof info, .deleter = delete_state};
  ffi_type_register_args type = {.struct_size = sizeof type,
                                 .name = {name, sizeof name - 1},
                                 .type_id = &p->type_id,
                                 .info = &info};
  return sentence_of(api, "registering the state of call sites", api->type_register(&type));
}

static char* register_handlers(int plugin, const char* target, const ffi_handler* pair) {
  const ffi_api* api = plugins[plugin].api;
  static const char host[] = "Host";
  ffi_handler_register_args args = {.struct_size = FFI_SIZE(ffi_handler_register_args, traits),
                                    .name = {target, strlen(target)},
                                    .platform = {host, sizeof host - 1},
                                    .instantiate = pair[0],
                                    .execute = pair[1]};
  return sentence_of(api, "registering a handler", api->handler_register(&args));
}

char* calliope_ffi_register(int plugin, const char* target, int own) {
  return register_handlers(plugin, target, &entries[plugin][own ? 2 : 0]);
}

char* calliope_ffi_register_bench(int plugin, const char* target) {
  return register_handlers(plugin, target, &entries[plugin][4]);
}

char* calliope_ffi_register_handler(int plugin, const char* target, ffi_handler execute) {
  const ffi_handler pair[2] = {NULL, execute};
  return register_handlers(plugin, target, pair);
}

int calliope_ffi_metadata(ffi_frame* frame) { return answer_metadata(frame); }

ffi_error* calliope_ffi_error(const ffi_api* api, int32_t code, const char* message) {
  return new_error(api, code, message);
}
