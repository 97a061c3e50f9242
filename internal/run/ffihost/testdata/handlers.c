// Handlers by the declarations of package ffi.

#include "../../ffi/ffi_abi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int64_t counter_type;
static int freed;

static void free_counter(void* p) {
  freed++;
  free(p);
}

int num_freed(void) { return freed; }

static int asked(ffi_frame* f) {
  if (f->extensions == NULL) return 0;
  ffi_metadata* m = ((ffi_metadata_extension*)f->extensions)->metadata;
  m->version.major = 0, m->version.minor = 3, m->traits = 0;
  return 1;
}

static ffi_error* fail(ffi_frame* f, const char* message) {
  ffi_error_create_args a = {.struct_size = sizeof a, .message = message, .code = 3};
  return f->api->error_create(&a);
}

// A counter begins at the attribute "start", which is the second of three.
ffi_error* instantiate(ffi_frame* f) {
  if (asked(f)) return NULL;
  if (f->attrs.size != 3 || f->attrs.kinds[2] != FFI_ATTR_SCALAR || f->attrs.kinds[1] != FFI_ATTR_STRING)
    return fail(f, "the attributes are wrong");
  ffi_type_info info = {.struct_size = sizeof info, .deleter = free_counter};
  ffi_type_register_args type = {.struct_size = sizeof type, .name = {"counter", 7}, .type_id = &counter_type, .info = &info};
  ffi_error* error = f->api->type_register(&type);
  if (error) return error;
  int64_t* counter = malloc(sizeof *counter);
  *counter = *(int32_t*)((ffi_scalar*)f->attrs.items[2])->value;
  ffi_state_args_3 set = {.struct_size = FFI_SIZE(ffi_state_args_3, state), .context = f->context,
                          .stage = FFI_STAGE_INSTANTIATE, .type_id = &counter_type, .state = counter};
  return f->api->state_set(&set);
}

// add adds the counter to its argument, of s32.
ffi_error* add(ffi_frame* f) {
  if (asked(f)) return NULL;
  ffi_state_args_3 get = {.struct_size = FFI_SIZE(ffi_state_args_3, state), .context = f->context,
                          .stage = FFI_STAGE_INSTANTIATE, .type_id = &counter_type};
  ffi_error* error = f->api->state_get(&get);
  if (error) return error;
  ffi_buffer *x = f->args.items[0], *y = f->results.items[0];
  if (x->dtype != 4 || x->rank != 1 || y->dims[0] != x->dims[0]) return fail(f, "the arrays are wrong");
  for (int64_t i = 0; i < x->dims[0]; i++) ((int32_t*)y->data)[i] = ((int32_t*)x->data)[i] + *(int64_t*)get.state;
  ++*(int64_t*)get.state;
  return NULL;
}

typedef struct {
  const ffi_api* api;
  ffi_future* future;
  int32_t* to;
} later;

static void* finish(void* p) {
  later* l = p;
  *l->to = 7;
  ffi_future_args done = {.struct_size = sizeof done, .future = l->future};
  l->api->future_set_available(&done);
  free(l);
  return NULL;
}

// asynchronous returns before it writes.
ffi_error* asynchronous(ffi_frame* f) {
  if (asked(f)) return NULL;
  ffi_future_args create = {.struct_size = sizeof create};
  f->api->future_create(&create);
  f->future = create.future;
  later* l = malloc(sizeof *l);
  *l = (later){f->api, create.future, ((ffi_buffer*)f->results.items[0])->data};
  pthread_t thread;
  pthread_create(&thread, NULL, finish, l);
  pthread_detach(thread);
  return NULL;
}

ffi_error* newer(ffi_frame* f) {
  if (asked(f)) ((ffi_metadata_extension*)f->extensions)->metadata->version.minor = 99;
  return NULL;
}

ffi_error* stream(ffi_frame* f) {
  if (asked(f)) return NULL;
  ffi_stream_args a = {.struct_size = sizeof a, .context = f->context};
  return f->api->stream_get(&a);
}
