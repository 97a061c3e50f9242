// A runtime with XLA's typed FFI and nothing behind it: what programs here need to instantiate and
// execute custom calls through the library's handlers. It counts what it hands out.

#ifndef FAKE_H
#define FAKE_H

#include <calliope.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../internal/run/ffi/ffi_abi.h"

// Ends the program if a function of the library fails.
static inline void must(calliope_status status) {
  if (status == CALLIOPE_OK) return;
  fprintf(stderr, "error %d: %s\n", status, calliope_error_message());
  exit(1);
}

struct ffi_error {
  int32_t code;
  char* message;
};

struct ffi_future {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int done;
  ffi_error* error;
};

struct ffi_context {
  void* state;
  int64_t run_id;
  int32_t device;
};

static void (*fake_delete)(void*);
static int fake_minor, fake_errors, fake_sites;  // errors and sites that are not freed

static ffi_error* fake_new_error(int32_t code, const char* message) {
  ffi_error* e = malloc(sizeof *e);
  e->code = code;
  e->message = strdup(message);
  __atomic_fetch_add(&fake_errors, 1, __ATOMIC_RELAXED);
  return e;
}

static ffi_error* fake_error_create(ffi_error_create_args* a) {
  if (a->struct_size < FFI_SIZE(ffi_error_create_args, code)) {
    char text[80];
    snprintf(text, sizeof text, "Error_Create: expected %zu", FFI_SIZE(ffi_error_create_args, code));
    return fake_new_error(3, text);
  }
  return fake_new_error(a->code, a->message);
}

static void fake_error_details(ffi_error_details_args* a) {
  a->message = a->error->message;
  if (fake_minor >= 4) a->code = a->error->code;
}

static void fake_error_destroy(ffi_error_destroy_args* a) {
  free(a->error->message);
  free(a->error);
  __atomic_fetch_sub(&fake_errors, 1, __ATOMIC_RELAXED);
}

#define FAKE_NEED(args, size)                                             \
  do {                                                                    \
    if (*(size_t*)(args) < (size)) {                                      \
      char text[80];                                                      \
      snprintf(text, sizeof text, "%s: expected %zu", __func__, (size));  \
      return fake_new_error(3, text);                                     \
    }                                                                     \
  } while (0)

static ffi_error* fake_handler_register(ffi_handler_register_args* a) {
  FAKE_NEED(a, FFI_SIZE(ffi_handler_register_args, traits));
  return NULL;
}

static ffi_error* fake_type_register(ffi_type_register_args* a) {
  FAKE_NEED(a, FFI_SIZE(ffi_type_register_args, type_id));
  fake_delete = a->info->deleter;
  *a->type_id = 7;
  return NULL;
}

static ffi_error* fake_state_set(void* p) {
  if (fake_minor >= 3) {
    FAKE_NEED(p, sizeof(ffi_state_args_3));
    ((ffi_state_args_3*)p)->context->state = ((ffi_state_args_3*)p)->state;
  } else {
    FAKE_NEED(p, sizeof(ffi_state_args_2));
    ((ffi_state_args_2*)p)->context->state = ((ffi_state_args_2*)p)->state;
  }
  return NULL;
}

static ffi_error* fake_state_get(void* p) {
  if (fake_minor >= 3) {
    FAKE_NEED(p, sizeof(ffi_state_args_3));
    ((ffi_state_args_3*)p)->state = ((ffi_state_args_3*)p)->context->state;
  } else {
    FAKE_NEED(p, sizeof(ffi_state_args_2));
    ((ffi_state_args_2*)p)->state = ((ffi_state_args_2*)p)->context->state;
  }
  return NULL;
}

static ffi_error* fake_future_create(ffi_future_args* a) {
  FAKE_NEED(a, FFI_SIZE(ffi_future_args, extensions));
  a->future = calloc(1, sizeof *a->future);
  pthread_mutex_init(&a->future->lock, NULL);
  pthread_cond_init(&a->future->changed, NULL);
  return NULL;
}

static void fake_end(ffi_future* f, ffi_error* error) {
  pthread_mutex_lock(&f->lock);
  f->done = 1;
  f->error = error;
  pthread_cond_signal(&f->changed);
  pthread_mutex_unlock(&f->lock);
}

static ffi_error* fake_future_set_available(ffi_future_args* a) {
  FAKE_NEED(a, sizeof *a);
  fake_end(a->future, NULL);
  return NULL;
}

static ffi_error* fake_future_set_error(ffi_future_error_args* a) {
  FAKE_NEED(a, sizeof *a);
  fake_end(a->future, a->error);
  return NULL;
}

static ffi_error* fake_run_id_get(ffi_run_id_args* a) {
  FAKE_NEED(a, FFI_SIZE(ffi_run_id_args, run_id));
  a->run_id = a->context->run_id;
  return NULL;
}

static ffi_error* fake_device_ordinal_get(ffi_device_args* a) {
  FAKE_NEED(a, FFI_SIZE(ffi_device_args, ordinal));
  a->ordinal = a->context->device;
  return NULL;
}

// There is no stream: the memory is the host's.
static ffi_error* fake_stream_get(ffi_stream_args* a) {
  FAKE_NEED(a, sizeof *a);
  return fake_new_error(3, "no stream");
}

static ffi_error* fake_device_memory_allocate(ffi_allocate_args* a) {
  FAKE_NEED(a, sizeof *a);
  return fake_new_error(3, "no device memory");
}

static ffi_error* fake_device_memory_free(ffi_free_args* a) {
  FAKE_NEED(a, sizeof *a);
  return fake_new_error(3, "no device memory");
}

static ffi_api fake_api = {
    .error_create = fake_error_create,
    .error_details = fake_error_details,
    .error_destroy = fake_error_destroy,
    .handler_register = fake_handler_register,
    .type_register = fake_type_register,
    .state_set = fake_state_set,
    .state_get = fake_state_get,
    .future_create = fake_future_create,
    .future_set_available = fake_future_set_available,
    .future_set_error = fake_future_set_error,
    .run_id_get = fake_run_id_get,
    .device_ordinal_get = fake_device_ordinal_get,
    .stream_get = fake_stream_get,
    .device_memory_allocate = fake_device_memory_allocate,
    .device_memory_free = fake_device_memory_free,
};

// Sets the version: 0.minor. It is called once, before all else.
static void fake_open(int minor) {
  fake_minor = minor;
  fake_api.version = (ffi_version){.struct_size = sizeof fake_api.version, .major = 0, .minor = minor};
  fake_api.struct_size = minor >= 5   ? FFI_SIZE(ffi_api, custom_options_get)
                         : minor == 4 ? FFI_SIZE(ffi_api, find_extension)
                                      : FFI_SIZE(ffi_api, device_ordinal_get);
}

// A text of an error, "code: message", or NULL. The caller frees it.
static char* fake_text(ffi_error* e) {
  if (e == NULL) return NULL;
  size_t size = strlen(e->message) + 16;
  char* text = malloc(size);
  snprintf(text, size, "%d: %s", e->code, e->message);
  fake_error_destroy(&(ffi_error_destroy_args){.error = e});
  return text;
}

// A call site.
typedef struct {
  ffi_context context;
  ffi_handler execute;
} fake_site;

// One attribute: a text, or a number where text is NULL.
typedef struct {
  const char* key;
  const char* text;
  int64_t number;
} fake_attr;

// Instantiates a call site of a target. Returns NULL or the text of the error.
static char* fake_instantiate(fake_site* site, const char* target, const fake_attr* attrs, int n) {
  calliope_handler instantiate, execute;
  must(calliope_get_handler(target, CALLIOPE_STAGE_INSTANTIATE, &instantiate));
  must(calliope_get_handler(target, CALLIOPE_STAGE_EXECUTE, &execute));
  enum { MOST = 16, S64 = 5 };
  int32_t kinds[MOST];
  ffi_span keys[MOST], texts[MOST], *names[MOST];
  ffi_scalar scalars[MOST];
  void* items[MOST];
  for (int i = 0; i < n; i++) {
    keys[i] = (ffi_span){attrs[i].key, strlen(attrs[i].key)};
    names[i] = &keys[i];
    if (attrs[i].text != NULL) {
      kinds[i] = FFI_ATTR_STRING;
      texts[i] = (ffi_span){attrs[i].text, strlen(attrs[i].text)};
      items[i] = &texts[i];
    } else {
      kinds[i] = FFI_ATTR_SCALAR;
      scalars[i] = (ffi_scalar){S64, (void*)&attrs[i].number};
      items[i] = &scalars[i];
    }
  }
  memset(site, 0, sizeof *site);
  site->execute = (ffi_handler)execute;
  ffi_frame frame = {
      .struct_size = sizeof frame,
      .api = &fake_api,
      .context = &site->context,
      .stage = FFI_STAGE_INSTANTIATE,
      .attrs = {.struct_size = sizeof frame.attrs, .size = n, .kinds = kinds, .names = names, .items = items},
  };
  char* text = fake_text(((ffi_handler)instantiate)(&frame));
  if (text == NULL) __atomic_fetch_add(&fake_sites, 1, __ATOMIC_RELAXED);
  return text;
}

// Instantiates a site that calls a name in a form.
static char* fake_bind(fake_site* site, const char* form, const char* callback) {
  int io = strcmp(form, CALLIOPE_FORM_PASSTHROUGH) == 0 || strcmp(form, CALLIOPE_FORM_OBSERVE) == 0;
  const fake_attr attrs[] = {
      {CALLIOPE_KEY_CALLBACK, callback, 0}, {CALLIOPE_KEY_FORM, form, 0}, {CALLIOPE_KEY_VERSION, NULL, 1}};
  return fake_instantiate(site, io ? CALLIOPE_TARGET_IO_CALLBACK : CALLIOPE_TARGET_RUNTIME_CALL, attrs, 3);
}

static void fake_free(fake_site* site) {
  fake_delete(site->context.state);
  __atomic_fetch_sub(&fake_sites, 1, __ATOMIC_RELAXED);
}

// Executes a call with buffers and waits for its end. Returns NULL or the text of the error. It may be called
// by several threads at once.
static char* fake_execute(const fake_site* site, int64_t run_id, int32_t device, ffi_buffer* args, int num_args,
                          ffi_buffer* results, int num_results) {
  enum { MOST = 16 };
  int32_t kinds[MOST];
  void *arg_items[MOST], *result_items[MOST];
  for (int i = 0; i < MOST; i++) kinds[i] = FFI_KIND_BUFFER;
  for (int i = 0; i < num_args; i++) arg_items[i] = &args[i];
  for (int i = 0; i < num_results; i++) result_items[i] = &results[i];
  ffi_context context = {site->context.state, run_id, device};
  ffi_frame frame = {
      .struct_size = sizeof frame,
      .api = &fake_api,
      .context = &context,
      .stage = FFI_STAGE_EXECUTE,
      .args = {.struct_size = sizeof frame.args, .size = num_args, .kinds = kinds, .items = arg_items},
      .results = {.struct_size = sizeof frame.results, .size = num_results, .kinds = kinds, .items = result_items},
      .attrs = {.struct_size = sizeof frame.attrs},
  };
  char* text = fake_text(site->execute(&frame));
  if (text != NULL || frame.future == NULL) return text;
  ffi_future* f = frame.future;
  pthread_mutex_lock(&f->lock);
  while (!f->done) pthread_cond_wait(&f->changed, &f->lock);
  pthread_mutex_unlock(&f->lock);
  text = fake_text(f->error);
  pthread_mutex_destroy(&f->lock);
  pthread_cond_destroy(&f->changed);
  free(f);
  return text;
}

// A buffer of F32 of rank 1.
static ffi_buffer fake_f32(float* data, int64_t* n) {
  return (ffi_buffer){.struct_size = sizeof(ffi_buffer), .dtype = CALLIOPE_F32, .data = data, .rank = 1, .dims = n};
}

// Calls a site as y = f(x), with n elements each. In the form passthrough x and y are the same memory;
// in the form observe y is not used.
static char* fake_call(const fake_site* site, int64_t run_id, float* x, float* y, int64_t n) {
  char token = 0;
  int64_t one = 1;
  ffi_buffer in = fake_f32(x, &n), out = fake_f32(y, &n);
  if (y == NULL) {
    out = (ffi_buffer){.struct_size = sizeof(ffi_buffer), .dtype = CALLIOPE_S8, .data = &token, .rank = 1, .dims = &one};
  }
  return fake_execute(site, run_id, 0, &in, 1, &out, 1);
}

// Prints a text, or "ok" for NULL, and frees it.
static inline void fake_show(const char* what, char* text) {
  printf("%s: %s\n", what, text == NULL ? "ok" : text);
  free(text);
}

#endif
