#define _GNU_SOURCE  // for vasprintf
#include "ffi_handler.h"

#include <stdarg.h>

#include "inflight.h"

extern void calliopeFFIInstantiate(calliope_instantiation*);
extern void calliopeFFIExecute(calliope_call*);
extern void calliopeFFIDelete(uintptr_t);

static calliope_ffi plugins[CALLIOPE_MAX_PLUGINS];
static __thread calliope_call* inside;

static __thread uint64_t binding;

uint64_t calliope_ffi_bind_within(uint64_t number) {
  uint64_t outer = binding;
  binding = number;
  return outer;
}

uint64_t calliope_ffi_binding(void) { return binding; }

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

static char* text_of(const char* format, ...) __attribute__((format(printf, 1, 2)));

static char* text_of(const char* format, ...) {
  char* text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = strdup("out of memory");
  va_end(args);
  return text;
}

// The number N in a message with ": expected N", 0 where there is none: what XLA answers
// to a structure that is too small.
static size_t expected_size(const char* message) {
  static const char word[] = ": expected ";
  const char* at = strstr(message, word);
  return at == NULL ? 0 : (size_t)strtoull(at + sizeof word - 1, NULL, 10);
}

static const ffi_api* boot_api;

const ffi_api* calliope_ffi_boot_api(void) {
  const ffi_api* api = boot_api;
  boot_api = NULL;
  return api;
}

ffi_error* calliope_ffi_boot(ffi_frame* frame) {
  if (ffi_answer_metadata(frame)) {
    boot_api = frame->api;
    return NULL;
  }
  return ffi_new_error(frame->api, FFI_INVALID_ARGUMENT,
                       "calliope: this target only exists to find the FFI; no module may call it");
}

static ffi_error* take_error(calliope_ffi* p, int32_t code, char* message) {
  ffi_error* error = ffi_new_error(p->api, code, message ? message : "calliope: error without a message");
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

ffi_future* calliope_ffi_defer(calliope_call* call) {
  // The size of a frame does not count its last field, the future; each version that
  // calliope_ffi_init takes has it.
  ffi_future_args args = {.struct_size = sizeof args};
  ffi_error* error = call->api->future_create(&args);
  ffi_drop_error(call->api, error);
  if (error != NULL) return NULL;
  call->frame->future = args.future;
  return args.future;
}

void calliope_ffi_finish(const ffi_api* api, ffi_future* future, int32_t code, char* message) {
  if (code == 0) {
    ffi_finish(api, future);
    return;
  }
  ffi_error* error = ffi_new_error(api, code, message ? message : "calliope: error without a message");
  ffi_future_error_args args = {.struct_size = sizeof args, .future = future, .error = error};
  free(message);
  ffi_drop_error(api, api->future_set_error(&args));
}

static ffi_error* instantiate_target(calliope_ffi* p, ffi_frame* frame, int32_t foreign) {
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  if (frame->struct_size < FFI_SIZE(ffi_frame, attrs)) {
    return ffi_new_error(p->api, FFI_INTERNAL, "calliope: the call frame is too small");
  }
  calliope_instantiation in = {.frame = frame, .foreign = foreign};
  calliopeFFIInstantiate(&in);
  if (in.code != 0) return take_error(p, in.code, in.message);
  ffi_error* error = ffi_state_set(p->api, &p->type_id, frame->context, (void*)in.site);
  if (error != NULL) calliopeFFIDelete(in.site);
  return error;
}

static ffi_error* instantiate(calliope_ffi* p, ffi_frame* frame) { return instantiate_target(p, frame, 0); }

static ffi_error* execute(calliope_ffi* p, ffi_frame* frame) {
  if (__builtin_expect(frame->extensions != NULL, 0) && ffi_answer_metadata(frame)) return NULL;
  calliope_call call;
  ffi_error* error = ffi_open_call(p->api, &p->type_id, frame, &call);
  if (__builtin_expect(error != NULL, 0)) return error;
  call.outer = inside;
  inside = &call;
  calliope_in_flight_begin(call.run_id, call.site);
  calliopeFFIExecute(&call);
  calliope_in_flight_end();
  inside = call.outer;
  if (__builtin_expect(call.code != 0, 0)) return take_error(p, call.code, call.message);
  return NULL;
}

static void delete_state(void* state) {
  if (state != NULL) calliopeFFIDelete((uintptr_t)state);
}

// Of a target whose calls always have attributes: without this they would fail only
// when they run, as calls whose id is an operand.
static ffi_error* attributed_instantiate(calliope_ffi* p, ffi_frame* frame) {
  if (frame->extensions == NULL && frame->struct_size >= FFI_SIZE(ffi_frame, attrs) && frame->attrs.size == 0) {
    return ffi_new_error(p->api, FFI_INVALID_ARGUMENT,
                         "calliope: the call has no backend_config: it lacks the key \"v\", and what says who is called");
  }
  return instantiate(p, frame);
}

#define ENTRIES(i)                                                                        \
  static ffi_error* instantiate_##i(ffi_frame* f) { return instantiate(&plugins[i], f); } \
  static ffi_error* attributed_instantiate_##i(ffi_frame* f) {                            \
    return attributed_instantiate(&plugins[i], f);                                        \
  }                                                                                       \
  static ffi_error* execute_##i(ffi_frame* f) { return execute(&plugins[i], f); }
ENTRIES(0)
ENTRIES(1)
ENTRIES(2)
ENTRIES(3)

static const struct {
  ffi_handler instantiate, attributed_instantiate, execute;
} entries[CALLIOPE_MAX_PLUGINS] = {
    {instantiate_0, attributed_instantiate_0, execute_0},
    {instantiate_1, attributed_instantiate_1, execute_1},
    {instantiate_2, attributed_instantiate_2, execute_2},
    {instantiate_3, attributed_instantiate_3, execute_3},
};

// The plugin of each foreign target, by its number less 1.
static calliope_ffi* foreign_plugins[CALLIOPE_MAX_FOREIGN];

#define FOREIGN(i)                                                \
  static ffi_error* foreign_##i(ffi_frame* f) {                   \
    return instantiate_target(foreign_plugins[i], f, (i) + 1);    \
  }
FOREIGN(0) FOREIGN(1) FOREIGN(2) FOREIGN(3) FOREIGN(4) FOREIGN(5) FOREIGN(6) FOREIGN(7)
FOREIGN(8) FOREIGN(9) FOREIGN(10) FOREIGN(11) FOREIGN(12) FOREIGN(13) FOREIGN(14) FOREIGN(15)
FOREIGN(16) FOREIGN(17) FOREIGN(18) FOREIGN(19) FOREIGN(20) FOREIGN(21) FOREIGN(22) FOREIGN(23)
FOREIGN(24) FOREIGN(25) FOREIGN(26) FOREIGN(27) FOREIGN(28) FOREIGN(29) FOREIGN(30) FOREIGN(31)
FOREIGN(32) FOREIGN(33) FOREIGN(34) FOREIGN(35) FOREIGN(36) FOREIGN(37) FOREIGN(38) FOREIGN(39)
FOREIGN(40) FOREIGN(41) FOREIGN(42) FOREIGN(43) FOREIGN(44) FOREIGN(45) FOREIGN(46) FOREIGN(47)
FOREIGN(48) FOREIGN(49) FOREIGN(50) FOREIGN(51) FOREIGN(52) FOREIGN(53) FOREIGN(54) FOREIGN(55)
FOREIGN(56) FOREIGN(57) FOREIGN(58) FOREIGN(59) FOREIGN(60) FOREIGN(61) FOREIGN(62) FOREIGN(63)

static const ffi_handler foreign_entries[CALLIOPE_MAX_FOREIGN] = {
    foreign_0, foreign_1, foreign_2, foreign_3, foreign_4, foreign_5, foreign_6, foreign_7,
    foreign_8, foreign_9, foreign_10, foreign_11, foreign_12, foreign_13, foreign_14, foreign_15,
    foreign_16, foreign_17, foreign_18, foreign_19, foreign_20, foreign_21, foreign_22, foreign_23,
    foreign_24, foreign_25, foreign_26, foreign_27, foreign_28, foreign_29, foreign_30, foreign_31,
    foreign_32, foreign_33, foreign_34, foreign_35, foreign_36, foreign_37, foreign_38, foreign_39,
    foreign_40, foreign_41, foreign_42, foreign_43, foreign_44, foreign_45, foreign_46, foreign_47,
    foreign_48, foreign_49, foreign_50, foreign_51, foreign_52, foreign_53, foreign_54, foreign_55,
    foreign_56, foreign_57, foreign_58, foreign_59, foreign_60, foreign_61, foreign_62, foreign_63,
};

// Holds the size of one argument structure against the plugin's: a structure of 8
// bytes is refused with the size that was expected, before anything in it is read.
static char* check_size(const ffi_api* api, const char* name, ffi_error* (*function)(void*), size_t ours) {
  struct {
    size_t struct_size;
    void* zeros[15];
  } small = {.struct_size = sizeof(size_t)};
  char* text = ffi_error_text(api, name, function(&small));
  if (text == NULL) return text_of("%s accepted a structure of 8 bytes", name);
  size_t theirs = expected_size(text);
  if (theirs == ours) {
    free(text);
    return NULL;
  }
  char* problem =
      text_of("the plugin's %s takes %zu bytes where %zu are known (it said: %s)", name, theirs, ours, text);
  free(text);
  return problem;
}

// Holds the structure of Error_GetDetails against the plugin's: it returns no error that
// could name a size, so a known error is read.
static char* check_details(const ffi_api* api) {
  static const char message[] = "calliope: layout";
  ffi_error* error = ffi_new_error(api, FFI_INVALID_ARGUMENT, message);
  ffi_error_details_args details = ffi_error_details(api, error);
  int same = details.message != NULL && strcmp(details.message, message) == 0 &&
             details.code == (api->version.minor >= 4 ? FFI_INVALID_ARGUMENT : 0);
  ffi_drop_error(api, error);
  if (same) return NULL;
  return text_of("the plugin's Error_Get%s returns another error than was created",
                 api->version.minor >= 4 ? "Details" : "Message");
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
      // XLA counts this one without the type's information, which it reads.
      {"Type_Register", (function)api->type_register, FFI_SIZE(ffi_type_register_args, type_id)},
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
    char* problem = check_size(api, checks[i].name, checks[i].call, checks[i].size);
    if (problem != NULL) return problem;
  }
  return check_details(api);
}

// The size of the function table of a known version.
static size_t table_size(int minor) {
  if (minor >= 5) return FFI_SIZE(ffi_api, custom_options_get);
  if (minor == 4) return FFI_SIZE(ffi_api, find_extension);
  return FFI_SIZE(ffi_api, device_ordinal_get);
}

char* calliope_ffi_init(int plugin, const ffi_api* api) {
  if (api->struct_size < FFI_SIZE(ffi_api, version)) {
    return text_of("the plugin's FFI table has %zu bytes, too few for a version", api->struct_size);
  }
  int major = api->version.major, minor = api->version.minor;
  if (major != 0 || minor < FFI_OLDEST_MINOR || minor > FFI_NEWEST_MINOR) {
    return text_of("the plugin speaks XLA FFI %d.%d; only 0.%d to 0.%d are known: use a plugin of one of these versions",
                   major, minor, FFI_OLDEST_MINOR, FFI_NEWEST_MINOR);
  }
  if (api->struct_size < table_size(minor)) {
    return text_of("the plugin's FFI table has %zu bytes where FFI %d.%d has %zu", api->struct_size, major, minor,
                   table_size(minor));
  }
  char* problem = check_layouts(api);
  if (problem != NULL) return problem;

  calliope_ffi* p = &plugins[plugin];
  p->api = api;
  static const ffi_type_info info = {.struct_size = sizeof info, .deleter = delete_state};
  return ffi_register_type(api, "calliope_site", &info, &p->type_id);
}

char* calliope_ffi_register(int plugin, const char* target, int attributed) {
  ffi_handler instantiate =
      attributed ? entries[plugin].attributed_instantiate : entries[plugin].instantiate;
  return ffi_register(plugins[plugin].api, target, instantiate, entries[plugin].execute);
}

char* calliope_ffi_register_foreign(int plugin, const char* target, int number) {
  foreign_plugins[number - 1] = &plugins[plugin];
  return ffi_register(plugins[plugin].api, target, foreign_entries[number - 1], entries[plugin].execute);
}
