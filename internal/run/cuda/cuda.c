#include "cuda.h"

const char* const calliope_cuda_names[CALLIOPE_CUDA_FUNCTIONS] = {
    "cuInit",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuStreamGetCtx",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventQuery",
    "cuEventDestroy_v2",
    "cuGetErrorName",
    "cuGetErrorString",
};

#define FUNCTION(field) ((int32_t)(offsetof(calliope_cuda, field) / sizeof(void*)))

// Calls a function, and notes an error if none is noted yet.
#define DO(r, field, ...)                                   \
  do {                                                      \
    cuda_code code_ = d->field(__VA_ARGS__);                \
    if (code_ != CUDA_OK && (r).code == CUDA_OK)            \
      (r) = (calliope_cuda_result){code_, FUNCTION(field)}; \
  } while (0)

calliope_cuda_result calliope_cuda_init(const calliope_cuda* d) {
  calliope_cuda_result r = {0};
  DO(r, init, 0);
  return r;
}

calliope_cuda_result calliope_cuda_stream_context(const calliope_cuda* d, void* stream, void** context) {
  calliope_cuda_result r = {0};
  cuda_context* c = NULL;
  DO(r, stream_context, stream, &c);
  *context = c;
  return r;
}

// The context of the thread is XLA's, which must find it unchanged.
static calliope_cuda_result enter(const calliope_cuda* d, cuda_context* context) {
  calliope_cuda_result r = {0};
  DO(r, context_push, context);
  return r;
}

static void leave(const calliope_cuda* d, calliope_cuda_result* r) {
  cuda_context* context = NULL;
  DO(*r, context_pop, &context);
}

calliope_cuda_result calliope_cuda_alloc(const calliope_cuda* d, calliope_cuda_block* block) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  DO(r, event_create, &block->event, CUDA_EVENT_BLOCKS | CUDA_EVENT_NO_TIMING);
  if (r.code == CUDA_OK) {
    DO(r, host_alloc, &block->memory, block->size, CUDA_HOST_PORTABLE);
    if (r.code != CUDA_OK) d->event_destroy(block->event);
  }
  leave(d, &r);
  return r;
}

calliope_cuda_result calliope_cuda_free(const calliope_cuda* d, calliope_cuda_block* block) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  DO(r, event_destroy, block->event);
  DO(r, host_free, block->memory);
  leave(d, &r);
  return r;
}

// Waits for the copies that were begun before an error, if the device still works: their
// memory is freed next.
static void settle(const calliope_cuda* d, calliope_cuda_block* block, void* stream) {
  if (d->event_record(block->event, stream) == CUDA_OK) d->event_wait(block->event);
}

calliope_cuda_result calliope_cuda_to_host(const calliope_cuda* d, calliope_cuda_block* block, void* stream,
                                           const calliope_cuda_copy* copies, size_t n) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  for (size_t i = 0; i < n && r.code == CUDA_OK; i++) {
    DO(r, to_host, (char*)block->memory + copies[i].offset, copies[i].device, copies[i].size, stream);
  }
  if (r.code == CUDA_OK) DO(r, event_record, block->event, stream);
  if (r.code == CUDA_OK) DO(r, event_wait, block->event);
  if (r.code != CUDA_OK) settle(d, block, stream);
  leave(d, &r);
  return r;
}

calliope_cuda_result calliope_cuda_to_device(const calliope_cuda* d, calliope_cuda_block* block, void* stream,
                                             const calliope_cuda_copy* copies, size_t n) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  for (size_t i = 0; i < n && r.code == CUDA_OK; i++) {
    DO(r, to_device, copies[i].device, (const char*)block->memory + copies[i].offset, copies[i].size, stream);
  }
  if (r.code == CUDA_OK) DO(r, event_record, block->event, stream);
  if (r.code != CUDA_OK) settle(d, block, stream);
  leave(d, &r);
  return r;
}

calliope_cuda_result calliope_cuda_query(const calliope_cuda* d, calliope_cuda_block* block) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  DO(r, event_query, block->event);
  leave(d, &r);
  return r;
}

calliope_cuda_result calliope_cuda_wait(const calliope_cuda* d, calliope_cuda_block* block) {
  calliope_cuda_result r = enter(d, block->context);
  if (r.code != CUDA_OK) return r;
  DO(r, event_wait, block->event);
  leave(d, &r);
  return r;
}

const char* calliope_cuda_error_name(const calliope_cuda* d, cuda_code code) {
  const char* name = NULL;
  return d->error_name(code, &name) == CUDA_OK ? name : NULL;
}

const char* calliope_cuda_error_text(const calliope_cuda* d, cuda_code code) {
  const char* text = NULL;
  return d->error_text(code, &text) == CUDA_OK ? text : NULL;
}
