#ifndef CALLIOPE_PJRT_BUFFER_H
#define CALLIOPE_PJRT_BUFFER_H

#include "pjrt_abi.h"

typedef struct {
  pjrt_buffer* buffer;
  pjrt_event* done;  // of a shared host array: when its memory is not needed any more
  pjrt_error* error;
} calliope_put_result;

// Makes a buffer of a dense host array, on a device of a client: a copy, or where share
// is not 0 the array's own memory if XLA takes it.
calliope_put_result calliope_put(const pjrt_api* api, void* client, void* device, const void* data, int32_t type,
                                 const int64_t* dims, size_t num_dims, int share);

typedef struct {
  void* pointer;
  pjrt_error* error;
} calliope_pointer_result;

// The address of the buffer's memory, where ready is 0 when it is computed. Where hold is
// not 0 the memory stays until it is released.
calliope_pointer_result calliope_buffer_pointer(const pjrt_api* api, pjrt_buffer* buffer, int ready, int hold);
pjrt_error* calliope_buffer_release(const pjrt_api* api, pjrt_buffer* buffer);

// Copies the array to dst, with a byte for each element of less.
pjrt_error* calliope_buffer_to_host(const pjrt_api* api, pjrt_buffer* buffer, void* dst, size_t size);

pjrt_error* calliope_buffer_destroy(const pjrt_api* api, pjrt_buffer* buffer);

typedef struct {
  int32_t type;
  const int64_t* dims;  // as long as the buffer lives
  size_t num_dims;
  pjrt_error* error;
} calliope_shape_result;

calliope_shape_result calliope_buffer_shape(const pjrt_api* api, pjrt_buffer* buffer);

// Returns 1, and destroys the event, where it is over.
int calliope_event_ready(const pjrt_api* api, pjrt_event* event);

// Returns 1, and destroys the event, where it is over; otherwise calliopePJRTDone is
// called when it is, perhaps before this function returns, and the event is destroyed.
int calliope_event_over(const pjrt_api* api, pjrt_event* event, uintptr_t handle);

#endif
