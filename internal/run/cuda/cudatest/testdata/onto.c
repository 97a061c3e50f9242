// Puts the arrays of XLA's calls on the CPU into the memory of the device that stands in for a
// GPU, for the time of each call. So handlers see XLA's own frames with a stream.

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "ffi_call.h"

typedef struct {
  void* (*alloc)(size_t);
  void (*free)(void*);
  int (*move)(void* device, void* data, size_t n, int write);
  void (*drain)(void* stream);
} standin;

static standin driver;
static void* stream;
static const ffi_api* xla;
static ffi_api table;  // XLA's, with a stream
static ffi_handler instantiate, execute;

struct ffi_future {
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int done;
  ffi_error* error;
};

static ffi_error* sized(size_t have, size_t want) {
  char text[100];
  if (have >= want) return NULL;
  snprintf(text, sizeof text, "Unexpected structure size: expected %zu, got %zu.", want, have);
  return ffi_new_error(xla, FFI_INVALID_ARGUMENT, text);
}

static ffi_error* stream_get(ffi_stream_args* args) {
  ffi_error* error = sized(args->struct_size, sizeof *args);
  if (error == NULL) args->stream = stream;
  return error;
}

static ffi_error* future_create(ffi_future_args* args) {
  ffi_error* error = sized(args->struct_size, FFI_SIZE(ffi_future_args, extensions));
  if (error != NULL) return error;
  args->future = calloc(1, sizeof *args->future);
  pthread_mutex_init(&args->future->mu, NULL);
  pthread_cond_init(&args->future->changed, NULL);
  return NULL;
}

static void end(ffi_future* f, ffi_error* error) {
  pthread_mutex_lock(&f->mu);
  f->done = 1;
  f->error = error;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->mu);
}

static ffi_error* future_set_available(ffi_future_args* args) {
  ffi_error* error = sized(args->struct_size, sizeof *args);
  if (error == NULL) end(args->future, NULL);
  return error;
}

static ffi_error* future_set_error(ffi_future_error_args* args) {
  ffi_error* error = sized(args->struct_size, sizeof *args);
  if (error == NULL) end(args->future, args->error);
  return error;
}

void onto_open(const standin* d, void* s, const ffi_api* api, ffi_handler in, ffi_handler ex) {
  driver = *d;
  stream = s;
  xla = api;
  instantiate = in;
  execute = ex;
  // The table may be shorter than the newest one.
  memcpy(&table, api, api->struct_size < sizeof table ? api->struct_size : sizeof table);
  table.stream_get = stream_get;
  table.future_create = future_create;
  table.future_set_available = future_set_available;
  table.future_set_error = future_set_error;
}

static ffi_error* do_instantiate(ffi_frame* frame) {
  ffi_frame own = *frame;
  own.api = &table;
  return instantiate(&own);
}

// The size of an array; 0 for types that the tests do not use.
static size_t size_of(const ffi_buffer* b) {
  size_t n = b->dtype == 1 ? 1 : b->dtype == 11 ? 4 : b->dtype == 5 ? 8 : 0;
  for (int64_t i = 0; i < b->rank; i++) n *= (size_t)b->dims[i];
  return n;
}

enum { MOST = 16 };

typedef struct {
  ffi_buffer buffers[MOST];
  void* items[MOST];
  void* host[MOST];
} arrays;

// Replaces the arrays of a frame by arrays on the device. those has arrays that are there
// already, for results in the memory of operands.
static ffi_values replace(const ffi_values* values, arrays* a, const ffi_values* others, const arrays* those) {
  ffi_values own = *values;
  own.items = a->items;
  for (int64_t i = 0; i < values->size; i++) {
    a->buffers[i] = *(ffi_buffer*)values->items[i];
    a->items[i] = &a->buffers[i];
    a->host[i] = a->buffers[i].data;
    size_t n = size_of(&a->buffers[i]);
    if (n == 0) continue;
    void* device = NULL;
    for (int64_t k = 0; others != NULL && k < others->size; k++) {
      if (those->host[k] == a->host[i]) device = those->buffers[k].data;
    }
    if (device == NULL) {
      device = driver.alloc(n);
      driver.move(device, a->host[i], n, 1);
    }
    a->buffers[i].data = device;
  }
  return own;
}

static ffi_error* do_execute(ffi_frame* frame) {
  if (frame->extensions != NULL) return execute(frame);  // a question
  if (frame->args.size > MOST || frame->results.size > MOST) abort();
  arrays in, out;
  ffi_frame own = *frame;
  own.api = &table;
  own.future = NULL;
  own.args = replace(&frame->args, &in, NULL, NULL);
  own.results = replace(&frame->results, &out, &frame->args, &in);
  ffi_error* error = execute(&own);
  // XLA's executor for GPUs waits here, too.
  ffi_future* f = own.future;
  if (f != NULL) {
    pthread_mutex_lock(&f->mu);
    while (!f->done) pthread_cond_wait(&f->changed, &f->mu);
    error = f->error;
    pthread_mutex_unlock(&f->mu);
  }
  driver.drain(stream);
  for (int64_t i = 0; i < frame->results.size; i++) {
    size_t n = size_of(&out.buffers[i]);
    if (n > 0) driver.move(out.buffers[i].data, out.host[i], n, 0);
  }
  for (int64_t i = 0; i < frame->args.size; i++) {
    if (size_of(&in.buffers[i]) > 0) driver.free(in.buffers[i].data);
  }
  for (int64_t i = 0; i < frame->results.size; i++) {
    int shared = 0;
    for (int64_t k = 0; k < frame->args.size; k++) shared |= in.buffers[k].data == out.buffers[i].data;
    if (!shared && size_of(&out.buffers[i]) > 0) driver.free(out.buffers[i].data);
  }
  return error;
}

char* onto_register(const char* target) { return ffi_register(xla, target, "Host", do_instantiate, do_execute); }
