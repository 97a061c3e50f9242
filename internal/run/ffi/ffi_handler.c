#define _GNU_SOURCE  // for vasprintf
#include "ffi_handler.h"

#include <pthread.h>
#include <stdarg.h>

#include "../../host/cgo/denormal.h"
#include "inflight.h"

extern void calliopeFFIInstantiate(calliope_instantiation*);
extern void calliopeFFIExecute(calliope_call*);
extern void calliopeFFIDelete(uintptr_t);

// The tables that are open. An entry is written once, before the number grows.
static calliope_ffi tables[CALLIOPE_MAX_TABLES];
static int num_tables;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static __thread calliope_call* inside;

// Returns the open entry of a table, or NULL. Most processes have one table.
static inline calliope_ffi* entry_of(const ffi_api* api) {
  int n = __atomic_load_n(&num_tables, __ATOMIC_ACQUIRE);
  for (int i = 0; i < n; i++) {
    if (tables[i].api == api) return &tables[i];
  }
  return NULL;
}

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

static ffi_error* take_error(const ffi_api* api, int32_t code, char* message) {
  ffi_error* error = ffi_new_error(api, code, message ? message : "calliope: error without a message");
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

static void delete_state(void* state) {
  if (state == NULL) return;
  uint64_t denormals = calliope_denormals_begin();
  calliopeFFIDelete((uintptr_t)state);
  calliope_denormals_end(denormals);
}

// A host registers the handlers itself, so its table may be seen here first.
static ffi_error* instantiate_target(ffi_frame* frame, int32_t foreign) {
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  const ffi_api* api = frame->api;
  char* problem = calliope_ffi_open(api, 0, CALLIOPE_MEMORY_UNKNOWN);
  if (problem != NULL) return take_error(api, FFI_INVALID_ARGUMENT, problem);
  if (frame->struct_size < FFI_SIZE(ffi_frame, attrs)) {
    return ffi_new_error(api, FFI_INTERNAL, "calliope: the call frame is too small");
  }
  calliope_ffi* entry = entry_of(api);
  calliope_instantiation in = {.frame = frame, .foreign = foreign, .host = entry->host};
  uint64_t denormals = calliope_denormals_begin();
  calliopeFFIInstantiate(&in);
  calliope_denormals_end(denormals);
  if (in.code != 0) return take_error(api, in.code, in.message);
  ffi_error* error = ffi_state_set(api, &entry->type_id, frame->context, (void*)in.site);
  if (error != NULL) delete_state((void*)in.site);
  return error;
}

ffi_error* calliope_ffi_instantiate(ffi_frame* frame) { return instantiate_target(frame, 0); }

// Without this, a call without attributes would be taken for one whose id is an operand,
// and fail only when it runs.
ffi_error* calliope_ffi_instantiate_attributed(ffi_frame* frame) {
  // On GPUs calls have other extensions than that of the question for the version.
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  if (frame->struct_size >= FFI_SIZE(ffi_frame, attrs) && frame->attrs.size == 0) {
    return ffi_new_error(frame->api, FFI_INVALID_ARGUMENT,
                         "calliope: the call has no backend_config: it lacks the key \"v\", and what says who is called");
  }
  return instantiate_target(frame, 0);
}

// Asks for the stream of a call whose operands may be in the device's memory.
static ffi_error* find_stream(calliope_ffi* entry, int memory, calliope_call* call) {
  ffi_stream_args args = {.struct_size = sizeof args, .context = call->frame->context};
  ffi_error* error = call->api->stream_get(&args);
  if (error == NULL) {
    call->on_device = 1;
    call->stream = args.stream;
  } else if (memory == CALLIOPE_MEMORY_UNKNOWN) {
    ffi_drop_error(call->api, error);
    error = NULL;
  }
  if (memory == CALLIOPE_MEMORY_UNKNOWN) {
    __atomic_store_n(&entry->memory, call->on_device ? CALLIOPE_MEMORY_DEVICE : CALLIOPE_MEMORY_HOST, __ATOMIC_RELAXED);
  }
  return error;
}

ffi_error* calliope_ffi_execute(ffi_frame* frame) {
  if (__builtin_expect(frame->extensions != NULL, 0) && ffi_answer_metadata(frame)) return NULL;
  calliope_ffi* entry = entry_of(frame->api);
  if (__builtin_expect(entry == NULL, 0)) {
    return ffi_new_error(frame->api, FFI_INVALID_ARGUMENT,
                         "calliope: the call was never instantiated: register the target's handlers for both stages, "
                         "instantiate and execute");
  }
  calliope_call call;
  ffi_error* error = ffi_open_call(entry->api, &entry->type_id, frame, &call);
  if (__builtin_expect(error != NULL, 0)) return error;
  call.host = entry->host;
  int memory = __atomic_load_n(&entry->memory, __ATOMIC_RELAXED);
  if (__builtin_expect(memory != CALLIOPE_MEMORY_HOST, 0)) {
    error = find_stream(entry, memory, &call);
    if (error != NULL) return error;
  }
  call.outer = inside;
  inside = &call;
  calliope_in_flight_begin(call.run_id, call.site);
  uint64_t denormals = calliope_denormals_begin();
  calliopeFFIExecute(&call);
  calliope_denormals_end(denormals);
  calliope_in_flight_end();
  inside = call.outer;
  if (__builtin_expect(call.code != 0, 0)) return take_error(call.api, call.code, call.message);
  return NULL;
}

#define FOREIGN(i)                              \
  static ffi_error* foreign_##i(ffi_frame* f) { \
    return instantiate_target(f, (i) + 1);      \
  }
#define FOREIGN_ENTRY(i) foreign_##i,

// M of each number below 256, in order. A row is what has one first hexadecimal digit.
#define ROW(M, row)                                       \
  M(0x##row##0) M(0x##row##1) M(0x##row##2) M(0x##row##3) \
  M(0x##row##4) M(0x##row##5) M(0x##row##6) M(0x##row##7) \
  M(0x##row##8) M(0x##row##9) M(0x##row##a) M(0x##row##b) \
  M(0x##row##c) M(0x##row##d) M(0x##row##e) M(0x##row##f)
#define EACH_FOREIGN(M)                   \
  ROW(M, 0) ROW(M, 1) ROW(M, 2) ROW(M, 3) \
  ROW(M, 4) ROW(M, 5) ROW(M, 6) ROW(M, 7) \
  ROW(M, 8) ROW(M, 9) ROW(M, a) ROW(M, b) \
  ROW(M, c) ROW(M, d) ROW(M, e) ROW(M, f)

EACH_FOREIGN(FOREIGN)

static const ffi_handler foreign_entries[] = {EACH_FOREIGN(FOREIGN_ENTRY)};
_Static_assert(sizeof foreign_entries / sizeof *foreign_entries == CALLIOPE_MAX_FOREIGN,
               "each foreign target has an entry point");

// Holds the size of one argument structure against the plugin's: a structure of 8
// bytes is refused with the size that was expected, before anything in it is read.
static char* check_size(const ffi_api* api, const char* name, ffi_error* (*function)(void*), size_t ours) {
  struct {
    size_t struct_size;
    void* zeros[15];
  } small = {.struct_size = sizeof(size_t)};
  if (function == NULL) return text_of("the plugin's FFI table has no function %s", name);
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
      {"Stream_Get", (function)api->stream_get, sizeof(ffi_stream_args)},
      {"DeviceMemory_Allocate", (function)api->device_memory_allocate, sizeof(ffi_allocate_args)},
      {"DeviceMemory_Free", (function)api->device_memory_free, sizeof(ffi_free_args)},
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

// Checks a table and writes its entry.
static char* open_entry(const ffi_api* api, calliope_ffi* entry) {
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

  // XLA knows a type by its name. Each table, and another copy of this code in the process, has
  // its own.
  char* name = text_of("calliope_site_%p", (void*)entry);
  static const ffi_type_info info = {.struct_size = sizeof info, .deleter = delete_state};
  entry->api = api;
  problem = ffi_register_type(api, name, &info, &entry->type_id);
  free(name);
  return problem;
}

char* calliope_ffi_open(const ffi_api* api, int own, int memory) {
  if (entry_of(api) != NULL) return NULL;
  pthread_mutex_lock(&opening);
  char* problem = NULL;
  if (entry_of(api) == NULL) {  // another thread may have opened it
    if (num_tables == CALLIOPE_MAX_TABLES) {
      problem = text_of("%d tables of XLA's FFI are open, and a process holds no more", num_tables);
    } else {
      calliope_ffi* entry = &tables[num_tables];
      *entry = (calliope_ffi){.host = !own, .memory = memory};
      problem = open_entry(api, entry);
      if (problem == NULL) __atomic_store_n(&num_tables, num_tables + 1, __ATOMIC_RELEASE);
    }
  }
  pthread_mutex_unlock(&opening);
  return problem;
}

char* calliope_ffi_register(const ffi_api* api, const char* target, const char* platform, int attributed) {
  return ffi_register(api, target, platform, attributed ? calliope_ffi_instantiate_attributed : calliope_ffi_instantiate,
                      calliope_ffi_execute);
}

char* calliope_ffi_register_foreign(const ffi_api* api, const char* target, const char* platform, int number) {
  return ffi_register(api, target, platform, foreign_entries[number - 1], calliope_ffi_execute);
}
