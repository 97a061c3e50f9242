#ifndef CALLIOPE_PJRT_BUFFER_H
#define CALLIOPE_PJRT_BUFFER_H

#include "pjrt_abi.h"

// Something that may not be over yet. The event is NULL if it is over, with the error if
// there was one; otherwise pass the event to calliope_event_over.
typedef struct {
  pjrt_event* event;
  pjrt_error* error;
} calliope_event_result;

typedef struct {
  pjrt_buffer* buffer;
  pjrt_event* done;  // when the host array is not needed any more; NULL if a copied one is not
  pjrt_error* error;
} calliope_put_result;

// Makes a buffer of a dense host array, on a device of a client or, if that is NULL, in a
// memory: a copy, or where share is not 0 the array's own memory if XLA takes it.
calliope_put_result calliope_put(const pjrt_api* api, void* client, void* device, void* memory, const void* data,
                                 int32_t type, const int64_t* dims, size_t num_dims, int share);

// Makes a copy of a buffer on another device of its client. The buffer need not be computed,
// and need not stay.
calliope_put_result calliope_buffer_to_device(const pjrt_api* api, pjrt_buffer* buffer, void* device);

typedef struct {
  void* pointer;
  pjrt_error* error;
} calliope_pointer_result;

// Whether the array is computed.
calliope_event_result calliope_buffer_ready(const pjrt_api* api, pjrt_buffer* buffer);

// The address of the memory of a buffer that is ready. If hold is not 0, the memory stays
// until it is released.
calliope_pointer_result calliope_buffer_pointer(const pjrt_api* api, pjrt_buffer* buffer, int hold);
pjrt_error* calliope_buffer_release(const pjrt_api* api, pjrt_buffer* buffer);

// Copies the array to dst, with a byte for each element of less. dst must stay until the
// copy is over.
calliope_event_result calliope_buffer_to_host(const pjrt_api* api, pjrt_buffer* buffer, void* dst, size_t size);

// Whether a buffer is in the memory of the host. on_host is not written if there is an error.
pjrt_error* calliope_buffer_on_host(const pjrt_api* api, pjrt_buffer* buffer, bool* on_host);

pjrt_error* calliope_buffer_destroy(const pjrt_api* api, pjrt_buffer* buffer);

typedef struct {
  int32_t type;
  const int64_t* dims;  // as long as the buffer lives
  size_t num_dims;
  pjrt_error* error;
} calliope_shape_result;

calliope_shape_result calliope_buffer_shape(const pjrt_api* api, pjrt_buffer* buffer);

typedef struct {
  void* const* memories;  // as long as the client lives
  size_t num_memories;
  pjrt_error* error;
} calliope_memories_result;

// The memories of a device.
calliope_memories_result calliope_device_memories(const pjrt_api* api, void* device);

typedef struct {
  const char* kind;  // as long as the client lives; NULL if the plugin does not say
  size_t size;
  pjrt_error* error;
} calliope_kind_result;

// The kind of a memory, such as "device".
calliope_kind_result calliope_memory_kind(const pjrt_api* api, void* memory);

// The kind of the memory that a buffer is in.
calliope_kind_result calliope_buffer_memory(const pjrt_api* api, pjrt_buffer* buffer);

typedef struct {
  const int64_t* minor_to_major;  // as long as the buffer lives
  size_t num_minor_to_major;
  size_t num_tiles;
  int32_t known;  // whether the layout is one of dimensions in an order
  pjrt_error* error;
} calliope_layout_result;

calliope_layout_result calliope_buffer_layout(const pjrt_api* api, pjrt_buffer* buffer);

// Returns the event if it is not over, and destroys it otherwise.
calliope_event_result calliope_event_ready(const pjrt_api* api, pjrt_event* event);

// Takes the event over. If the result's event is not NULL, it is not over, and
// calliopePJRTEventOver is called with the error when it is, perhaps before this function
// returns.
calliope_event_result calliope_event_over(const pjrt_api* api, pjrt_event* event, uintptr_t handle);

#endif
