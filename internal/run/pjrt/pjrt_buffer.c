#include "pjrt_buffer.h"

#include <stdlib.h>

#include "../../host/cgo/denormal.h"
#include "pjrt_error.h"

extern void calliopePJRTEventOver(uintptr_t handle, void* api, pjrt_error* error);

static void event_destroy(const pjrt_api* api, pjrt_event* event) {
  pjrt_event_args args = {.struct_size = sizeof args, .event = event};
  pjrt_error* error = CALL(api, PJRT_FN_EVENT_DESTROY, &args);
  if (error != NULL) calliope_error_destroy(api, error);
}

static pjrt_error* event_await(const pjrt_api* api, pjrt_event* event) {
  pjrt_event_args args = {.struct_size = sizeof args, .event = event};
  pjrt_error* error = CALL(api, PJRT_FN_EVENT_AWAIT, &args);
  event_destroy(api, event);
  return error;
}

static int event_is_ready(const pjrt_api* api, pjrt_event* event) {
  pjrt_event_ready_args args = {.struct_size = PJRT_SIZE(pjrt_event_ready_args, ready), .event = event};
  pjrt_error* error = CALL(api, PJRT_FN_EVENT_IS_READY, &args);
  if (error != NULL) calliope_error_destroy(api, error);
  return error == NULL && args.ready;
}

calliope_event_result calliope_event_ready(const pjrt_api* api, pjrt_event* event) {
  calliope_event_result result = {0};
  if (event_is_ready(api, event)) {
    result.error = event_await(api, event);
  } else {
    result.event = event;
  }
  return result;
}

calliope_put_result calliope_put(const pjrt_api* api, void* client, void* device, void* memory, const void* data,
                                 int32_t type, const int64_t* dims, size_t num_dims, int share) {
  pjrt_from_host_args args = {.struct_size = sizeof args,
                              .client = client,
                              .data = data,
                              .type = type,
                              .dims = dims,
                              .num_dims = num_dims,
                              .semantics = share ? PJRT_HOST_BUFFER_SHARE : PJRT_HOST_BUFFER_COPY,
                              .device = device,
                              .memory = memory};
  calliope_put_result result = {.error = CALL(api, PJRT_FN_BUFFER_FROM_HOST, &args)};
  if (result.error != NULL) return result;
  result.buffer = args.buffer;
  result.done = args.done;
  if (share || !event_is_ready(api, args.done)) return result;
  result.done = NULL;
  result.error = event_await(api, args.done);
  if (result.error != NULL) {
    pjrt_error* second = calliope_buffer_destroy(api, args.buffer);
    if (second != NULL) calliope_error_destroy(api, second);
  }
  return result;
}

calliope_put_result calliope_buffer_to_device(const pjrt_api* api, pjrt_buffer* buffer, void* device) {
  pjrt_to_device_args args = {.struct_size = sizeof args, .buffer = buffer, .device = device};
  calliope_put_result result = {.error = CALL(api, PJRT_FN_BUFFER_TO_DEVICE, &args)};
  if (result.error == NULL) result.buffer = args.copy;
  return result;
}

calliope_event_result calliope_buffer_ready(const pjrt_api* api, pjrt_buffer* buffer) {
  pjrt_buffer_event_args args = {.struct_size = sizeof args, .buffer = buffer};
  pjrt_error* error = CALL(api, PJRT_FN_BUFFER_READY_EVENT, &args);
  if (error != NULL) return (calliope_event_result){.error = error};
  return calliope_event_ready(api, args.event);
}

calliope_pointer_result calliope_buffer_pointer(const pjrt_api* api, pjrt_buffer* buffer, int hold) {
  calliope_pointer_result result = {0};
  pjrt_buffer_args args = {.struct_size = sizeof args, .buffer = buffer};
  if (hold) result.error = CALL(api, PJRT_FN_BUFFER_HOLD, &args);
  if (result.error != NULL) return result;
  pjrt_buffer_pointer_args pointer = {.struct_size = sizeof pointer, .buffer = buffer};
  result.error = CALL(api, PJRT_FN_BUFFER_UNSAFE_POINTER, &pointer);
  if (result.error == NULL) {
    result.pointer = (void*)pointer.pointer;
  } else if (hold) {
    pjrt_error* second = calliope_buffer_release(api, buffer);
    if (second != NULL) calliope_error_destroy(api, second);
  }
  return result;
}

pjrt_error* calliope_buffer_release(const pjrt_api* api, pjrt_buffer* buffer) {
  pjrt_buffer_args args = {.struct_size = sizeof args, .buffer = buffer};
  return CALL(api, PJRT_FN_BUFFER_RELEASE, &args);
}

calliope_event_result calliope_buffer_to_host(const pjrt_api* api, pjrt_buffer* buffer, void* dst, size_t size) {
  pjrt_to_host_args args = {.struct_size = sizeof args, .buffer = buffer, .dst = dst, .dst_size = size};
  pjrt_error* error = CALL(api, PJRT_FN_BUFFER_TO_HOST, &args);
  if (error != NULL) return (calliope_event_result){.error = error};
  return calliope_event_ready(api, args.event);
}

pjrt_error* calliope_buffer_on_host(const pjrt_api* api, pjrt_buffer* buffer, bool* on_host) {
  pjrt_buffer_on_host_args args = {.struct_size = PJRT_SIZE(pjrt_buffer_on_host_args, on_host), .buffer = buffer};
  pjrt_error* error = CALL(api, PJRT_FN_BUFFER_ON_HOST, &args);
  if (error == NULL) *on_host = args.on_host;
  return error;
}

pjrt_error* calliope_buffer_destroy(const pjrt_api* api, pjrt_buffer* buffer) {
  pjrt_buffer_args args = {.struct_size = sizeof args, .buffer = buffer};
  return CALL(api, PJRT_FN_BUFFER_DESTROY, &args);
}

calliope_memories_result calliope_device_memories(const pjrt_api* api, void* device) {
  pjrt_device_memories_args args = {.struct_size = sizeof args, .device = device};
  calliope_memories_result result = {.error = CALL(api, PJRT_FN_DEVICE_MEMORIES, &args)};
  if (result.error == NULL) {
    result.memories = args.memories;
    result.num_memories = args.num_memories;
  }
  return result;
}

calliope_kind_result calliope_memory_kind(const pjrt_api* api, void* memory) {
  pjrt_memory_kind_args args = {.struct_size = sizeof args, .memory = memory};
  calliope_kind_result result = {.error = CALL(api, PJRT_FN_MEMORY_KIND, &args)};
  if (result.error == NULL) {
    result.kind = args.kind;
    result.size = args.kind_size;
  }
  return result;
}

calliope_kind_result calliope_buffer_memory(const pjrt_api* api, pjrt_buffer* buffer) {
  pjrt_memory_args args = {.struct_size = sizeof args, .of = buffer};
  calliope_kind_result result = {.error = CALL(api, PJRT_FN_BUFFER_MEMORY, &args)};
  if (result.error != NULL || args.memory == NULL) return result;
  return calliope_memory_kind(api, args.memory);
}

calliope_layout_result calliope_buffer_layout(const pjrt_api* api, pjrt_buffer* buffer) {
  pjrt_layout_args args = {.struct_size = PJRT_SIZE(pjrt_layout_args, layout), .buffer = buffer};
  args.layout.struct_size = sizeof args.layout;
  calliope_layout_result result = {.error = CALL(api, PJRT_FN_BUFFER_LAYOUT, &args)};
  if (result.error != NULL || args.layout.type != PJRT_LAYOUT_TILED) return result;
  result.known = 1;
  result.minor_to_major = args.layout.tiled.minor_to_major;
  result.num_minor_to_major = args.layout.tiled.num_minor_to_major;
  result.num_tiles = args.layout.tiled.num_tiles;
  return result;
}

calliope_shape_result calliope_buffer_shape(const pjrt_api* api, pjrt_buffer* buffer) {
  calliope_shape_result result = {0};
  pjrt_buffer_type_args type = {.struct_size = PJRT_SIZE(pjrt_buffer_type_args, type), .buffer = buffer};
  result.error = CALL(api, PJRT_FN_BUFFER_ELEMENT_TYPE, &type);
  if (result.error != NULL) return result;
  pjrt_buffer_dims_args dims = {.struct_size = sizeof dims, .buffer = buffer};
  result.error = CALL(api, PJRT_FN_BUFFER_DIMENSIONS, &dims);
  result.type = type.type;
  result.dims = dims.dims;
  result.num_dims = dims.num_dims;
  return result;
}

typedef struct {
  const pjrt_api* api;
  pjrt_event* event;
  uintptr_t handle;
  pjrt_error* error;  // of the event
  int pending;        // one for the event and one for the caller, who still reads it
} waiting;

static int last(waiting* w) {
  if (__atomic_sub_fetch(&w->pending, 1, __ATOMIC_ACQ_REL) != 0) return 0;
  event_destroy(w->api, w->event);
  return 1;
}

static void event_ready(pjrt_error* error, void* arg) {
  waiting* w = arg;
  w->error = error;
  if (!last(w)) return;
  waiting over = *w;
  free(w);
  uint64_t denormals = calliope_denormals_begin();
  calliopePJRTEventOver(over.handle, (void*)over.api, over.error);
  calliope_denormals_end(denormals);
}

calliope_event_result calliope_event_over(const pjrt_api* api, pjrt_event* event, uintptr_t handle) {
  waiting* w = malloc(sizeof *w);
  if (w == NULL) abort();
  *w = (waiting){.api = api, .event = event, .handle = handle, .pending = 2};
  pjrt_event_on_ready_args args = {.struct_size = sizeof args, .event = event, .callback = event_ready, .arg = w};
  pjrt_error* error = CALL(api, PJRT_FN_EVENT_ON_READY, &args);
  if (error != NULL) event_ready(error, w);
  calliope_event_result result = {.event = event};
  if (last(w)) {
    result = (calliope_event_result){.error = w->error};
    free(w);
  }
  return result;
}
