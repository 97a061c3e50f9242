#ifndef CALLIOPE_CUDA_H
#define CALLIOPE_CUDA_H

// The part of CUDA's driver API that we use, in declarations of our own. Facts come from
// NVIDIA's documentation of the driver API. A name with _v2 is what cuda.h makes of the
// name without it.

#include <stddef.h>
#include <stdint.h>

typedef int32_t cuda_code;  // CUresult
typedef struct cuda_context cuda_context;
typedef struct cuda_stream cuda_stream;
typedef struct cuda_event cuda_event;

enum { CUDA_OK = 0, CUDA_OUT_OF_MEMORY = 2, CUDA_NOT_READY = 600 };
enum { CUDA_HOST_PORTABLE = 1 };                           // pinned for all contexts
enum { CUDA_EVENT_BLOCKS = 1, CUDA_EVENT_NO_TIMING = 2 };  // a waiting thread sleeps

// The functions, in the order of calliope_cuda_names.
typedef struct {
  cuda_code (*init)(unsigned flags);
  cuda_code (*context_push)(cuda_context*);
  cuda_code (*context_pop)(cuda_context**);
  cuda_code (*stream_context)(cuda_stream*, cuda_context**);
  cuda_code (*host_alloc)(void**, size_t, unsigned flags);
  cuda_code (*host_free)(void*);
  cuda_code (*to_host)(void* host, uint64_t device, size_t, cuda_stream*);
  cuda_code (*to_device)(uint64_t device, const void* host, size_t, cuda_stream*);
  cuda_code (*event_create)(cuda_event**, unsigned flags);
  cuda_code (*event_record)(cuda_event*, cuda_stream*);
  cuda_code (*event_wait)(cuda_event*);
  cuda_code (*event_query)(cuda_event*);
  cuda_code (*event_destroy)(cuda_event*);
  cuda_code (*error_name)(cuda_code, const char**);
  cuda_code (*error_text)(cuda_code, const char**);
} calliope_cuda;

enum { CALLIOPE_CUDA_FUNCTIONS = sizeof(calliope_cuda) / sizeof(void*) };
extern const char* const calliope_cuda_names[CALLIOPE_CUDA_FUNCTIONS];

// What a call of the driver returned. function is an index into calliope_cuda_names, of the
// function that failed.
typedef struct {
  cuda_code code;
  int32_t function;
} calliope_cuda_result;

// A part of pinned memory and a part of a device's.
typedef struct {
  size_t offset;  // in the pinned memory
  uint64_t device;
  size_t size;
} calliope_cuda_copy;

// Pinned memory with an event, for the streams of one context.
typedef struct {
  cuda_context* context;
  void* memory;
  size_t size;
  cuda_event* event;
} calliope_cuda_block;

// Each of these makes the block's context the thread's while it runs.
calliope_cuda_result calliope_cuda_init(const calliope_cuda* d);
calliope_cuda_result calliope_cuda_stream_context(const calliope_cuda* d, void* stream, void** context);
calliope_cuda_result calliope_cuda_alloc(const calliope_cuda* d, calliope_cuda_block* block);
calliope_cuda_result calliope_cuda_free(const calliope_cuda* d, calliope_cuda_block* block);

// Copies to the block in the order of the stream, and waits for it once. After an error of the
// device, copies that were begun may still be under way.
calliope_cuda_result calliope_cuda_to_host(const calliope_cuda* d, calliope_cuda_block* block, void* stream,
                                           const calliope_cuda_copy* copies, size_t n);

// Copies from the block in the order of the stream. The block's event is over when they are.
calliope_cuda_result calliope_cuda_to_device(const calliope_cuda* d, calliope_cuda_block* block, void* stream,
                                             const calliope_cuda_copy* copies, size_t n);

// Asks whether the event is over, CUDA_NOT_READY if it is not, or waits for it.
calliope_cuda_result calliope_cuda_query(const calliope_cuda* d, calliope_cuda_block* block);
calliope_cuda_result calliope_cuda_wait(const calliope_cuda* d, calliope_cuda_block* block);

// The driver's name of a code and what it says of it, NULL for unknown codes.
const char* calliope_cuda_error_name(const calliope_cuda* d, cuda_code code);
const char* calliope_cuda_error_text(const calliope_cuda* d, cuda_code code);

#endif
