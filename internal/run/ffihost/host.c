#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

struct ffi_error {
  int32_t code;
  char message[];
};

struct ffi_context {
  host_site* site;
  const host_run* run;
};

struct ffi_future {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int over;
  ffi_error* error;
};

enum { INVALID_ARGUMENT = 3, NOT_FOUND = 5, UNIMPLEMENTED = 12 };

ffi_error* calliope_host_fail(int32_t code, const char* message) {
  ffi_error* e = malloc(sizeof *e + strlen(message) + 1);
  e->code = code;
  strcpy(e->message, message);
  return e;
}

#define fail calliope_host_fail

// too_small returns an error for a structure that ends before the last field that is needed. Libraries read the size
// in its text, which is that of XLA's.
static ffi_error* too_small(const char* name, const void* args, size_t needed) {
  size_t size = *(const size_t*)args;
  if (size >= needed) return NULL;
  char text[128];
  snprintf(text, sizeof text, "Unexpected %s size: expected %zu, got %zu. Check installed software versions.", name,
           needed, size);
  return fail(INVALID_ARGUMENT, text);
}

// NEEDS returns from a function whose arguments end before a field.
#define NEEDS(type, last)                                            \
  do {                                                               \
    ffi_error* error = too_small(#type, a, FFI_SIZE(type, last));    \
    if (error != NULL) return error;                                 \
  } while (0)

static ffi_error* error_create(ffi_error_create_args* a) {
  NEEDS(ffi_error_create_args, code);
  return fail(a->code, a->message);
}

static void error_details(ffi_error_details_args* a) {
  a->message = a->error->message;
  if (a->struct_size >= FFI_SIZE(ffi_error_details_args, code)) a->code = a->error->code;
}

static void error_destroy(ffi_error_destroy_args* a) { free(a->error); }

const char* calliope_host_error(ffi_error* error, int32_t* code) {
  *code = error->code;
  return error->message;
}

void calliope_host_error_free(ffi_error* error) { free(error); }

static ffi_error* handler_register(ffi_handler_register_args* a) {
  NEEDS(ffi_handler_register_args, traits);
  return calliopeHostRegister(a);
}

static ffi_error* stream_get(ffi_stream_args* a) {
  NEEDS(ffi_stream_args, stream);
  return fail(UNIMPLEMENTED, "the call is on the CPU, which has no streams");
}

// The types of states. Another runtime in the process may have given a type its number; those of this one are high.
enum { MAX_TYPES = 4096 };
static pthread_mutex_t types_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int64_t id;
  void (*deleter)(void*);
} types[MAX_TYPES];
static int num_types;

ffi_error* calliope_host_type(int64_t* id, const ffi_type_info* info) {
  ffi_error* error = NULL;
  pthread_mutex_lock(&types_lock);
  int i = 0;
  while (i < num_types && types[i].id != *id) i++;
  if (i == MAX_TYPES) {
    error = fail(UNIMPLEMENTED, "there are too many types of states");
  } else {
    if (*id == 0) *id = ((int64_t)1 << 40) + num_types;
    if (i == num_types) num_types++;
    types[i].id = *id;
    types[i].deleter = info ? info->deleter : NULL;
  }
  pthread_mutex_unlock(&types_lock);
  return error;
}

static ffi_error* type_register(ffi_type_register_args* a) {
  NEEDS(ffi_type_register_args, type_id);
  return calliope_host_type(a->type_id, a->info);
}

static void (*deleter_of(int64_t id))(void*) {
  void (*deleter)(void*) = NULL;
  pthread_mutex_lock(&types_lock);
  for (int i = 0; i < num_types; i++)
    if (types[i].id == id) deleter = types[i].deleter;
  pthread_mutex_unlock(&types_lock);
  return deleter;
}

// slot finds the state that a call sets or gets. Before FFI 0.3 there was one, of instantiate.
static ffi_error* slot(void* args, host_state** state, int64_t** type_id, void*** value) {
  ffi_state_args_2* old = args;
  if (old->struct_size == FFI_SIZE(ffi_state_args_2, state)) {
    *state = &old->context->site->states[FFI_STAGE_INSTANTIATE], *type_id = old->type_id, *value = &old->state;
    return NULL;
  }
  ffi_state_args_3* a = args;
  NEEDS(ffi_state_args_3, state);
  if (a->stage < 0 || a->stage >= FFI_STAGES) return fail(INVALID_ARGUMENT, "the stage of the state is not known");
  *state = &a->context->site->states[a->stage], *type_id = a->type_id, *value = &a->state;
  return NULL;
}

static ffi_error* state_set(void* args) {
  host_state* s;
  int64_t* type_id;
  void** value;
  ffi_error* error = slot(args, &s, &type_id, &value);
  if (error != NULL) return error;
  if (s->value != NULL) return fail(INVALID_ARGUMENT, "the state is set already");
  s->type_id = *type_id, s->value = *value;
  return NULL;
}

static ffi_error* state_get(void* args) {
  host_state* s;
  int64_t* type_id;
  void** value;
  ffi_error* error = slot(args, &s, &type_id, &value);
  if (error != NULL) return error;
  if (s->value == NULL) return fail(INVALID_ARGUMENT, "the state is not set");
  if (s->type_id != *type_id) return fail(INVALID_ARGUMENT, "the state is of another type");
  *value = s->value;
  return NULL;
}

void calliope_host_site_free(host_site* site) {
  for (int i = 0; i < FFI_STAGES; i++) {
    host_state* s = &site->states[i];
    void (*deleter)(void*) = s->value ? deleter_of(s->type_id) : NULL;
    if (deleter) deleter(s->value);
    s->value = NULL;
  }
}

static ffi_error* memory_allocate(ffi_allocate_args* a) {
  NEEDS(ffi_allocate_args, data);
  size_t alignment = a->alignment < sizeof(void*) ? sizeof(void*) : a->alignment;
  a->data = NULL;
  if (posix_memalign(&a->data, alignment, a->size ? a->size : 1) != 0)
    return fail(INVALID_ARGUMENT, "no memory of this size and alignment");
  return NULL;
}

static ffi_error* memory_free(ffi_free_args* a) {
  NEEDS(ffi_free_args, data);
  free(a->data);
  return NULL;
}

// There is one thread, the caller's.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  void (*task)(void*);
  void* data;
} schedule_args;

static ffi_error* thread_pool_schedule(schedule_args* a) {
  a->task(a->data);
  return NULL;
}

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  int64_t* num_threads;
} num_threads_args;

static ffi_error* thread_pool_num_threads(num_threads_args* a) {
  *a->num_threads = 1;
  return NULL;
}

static ffi_error* future_create(ffi_future_args* a) {
  NEEDS(ffi_future_args, extensions);
  a->future = calloc(1, sizeof *a->future);
  pthread_mutex_init(&a->future->lock, NULL);
  pthread_cond_init(&a->future->changed, NULL);
  return NULL;
}

static void future_end(ffi_future* f, ffi_error* error) {
  pthread_mutex_lock(&f->lock);
  f->over = 1, f->error = error;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->lock);
}

static ffi_error* future_set_available(ffi_future_args* a) {
  NEEDS(ffi_future_args, future);
  future_end(a->future, NULL);
  return NULL;
}

static ffi_error* future_set_error(ffi_future_error_args* a) {
  NEEDS(ffi_future_error_args, error);
  future_end(a->future, a->error);
  return NULL;
}

// future_wait frees a future when it is over.
static ffi_error* future_wait(ffi_future* f) {
  pthread_mutex_lock(&f->lock);
  while (!f->over) pthread_cond_wait(&f->changed, &f->lock);
  ffi_error* error = f->error;
  pthread_mutex_unlock(&f->lock);
  pthread_cond_destroy(&f->changed);
  pthread_mutex_destroy(&f->lock);
  free(f);
  return error;
}

static ffi_error* run_id_get(ffi_run_id_args* a) {
  NEEDS(ffi_run_id_args, run_id);
  a->run_id = a->context->run->id;
  return NULL;
}

static ffi_error* device_ordinal_get(ffi_device_args* a) {
  NEEDS(ffi_device_args, ordinal);
  a->ordinal = a->context->run->device;
  return NULL;
}

// What a caller has given to the run, by its type.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  const int64_t* type_id;
  void* data;  // out
} user_data_args;

static ffi_error* execution_context_get(user_data_args* a) {
  NEEDS(user_data_args, data);
  const host_run* run = a->context->run;
  const host_state* data = (const host_state*)run->data;
  for (int64_t i = 0; i < run->num_data; i++) {
    if (data[i].type_id == *a->type_id) {
      a->data = data[i].value;
      return NULL;
    }
  }
  return fail(NOT_FOUND, "the run was given no data of this type");
}

static ffi_error* missing(void* args) {
  (void)args;
  return fail(UNIMPLEMENTED, "this runtime does not have the function of XLA's FFI");
}

static const ffi_api api = {
    .struct_size = sizeof(ffi_api),
    .version = {.struct_size = sizeof(ffi_version), .major = 0, .minor = FFI_NEWEST_MINOR},
    .error_create = error_create,
    .error_details = error_details,
    .error_destroy = error_destroy,
    .handler_register = handler_register,
    .stream_get = stream_get,
    .type_register = type_register,
    .execution_context_get = (void*)execution_context_get,
    .state_set = state_set,
    .state_get = state_get,
    .device_memory_allocate = memory_allocate,
    .device_memory_free = memory_free,
    .thread_pool_schedule = (void*)thread_pool_schedule,
    .thread_pool_num_threads = (void*)thread_pool_num_threads,
    .future_create = future_create,
    .future_set_available = future_set_available,
    .future_set_error = future_set_error,
    .run_id_get = run_id_get,
    .device_ordinal_get = device_ordinal_get,
    .find_extension = (void*)missing,
    .custom_options_get = (void*)missing,
};

ffi_error* calliope_host_version(ffi_handler handler, ffi_metadata* metadata) {
  ffi_metadata_extension extension = {
      .base = {.struct_size = sizeof extension, .type = FFI_EXTENSION_METADATA}, .metadata = metadata};
  metadata->struct_size = FFI_SIZE(ffi_metadata, traits), metadata->version.struct_size = sizeof metadata->version;
  ffi_frame frame = {.struct_size = FFI_SIZE(ffi_frame, attrs), .extensions = &extension.base, .api = &api,
                     .stage = FFI_STAGE_EXECUTE};
  return handler(&frame);
}

ffi_error* calliope_host_call(ffi_handler handler, ffi_frame* frame, host_site* site, const host_run* run) {
  ffi_context context = {.site = site, .run = run};
  frame->struct_size = FFI_SIZE(ffi_frame, attrs);
  frame->api = &api, frame->context = &context, frame->future = NULL;
  ffi_error* error = handler(frame);
  if (error == NULL && frame->future != NULL) error = future_wait(frame->future);
  return error;
}
