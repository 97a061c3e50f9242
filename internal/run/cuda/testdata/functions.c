// Compares ../cuda.h and ../cuda.c with NVIDIA's header: a function of another type or a constant of another value is an
// error of the compiler, and the program prints the functions that have another name.

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Our names of types become NVIDIA's.
#define cuda_context CUctx_st
#define cuda_stream CUstream_st
#define cuda_event CUevent_st
#define int32_t CUresult
#define uint64_t CUdeviceptr
#include "../cuda.h"
#undef int32_t
#undef uint64_t

_Static_assert(sizeof(CUresult) == sizeof(int32_t), "size of cuda_code");
_Static_assert(sizeof(CUdeviceptr) == sizeof(uint64_t), "size of a device's address");

#define FUNCTIONS(X)                       \
  X(init, cuInit)                          \
  X(context_push, cuCtxPushCurrent)        \
  X(context_pop, cuCtxPopCurrent)          \
  X(stream_context, cuStreamGetCtx)        \
  X(host_alloc, cuMemHostAlloc)            \
  X(host_free, cuMemFreeHost)              \
  X(to_host, cuMemcpyDtoHAsync)            \
  X(to_device, cuMemcpyHtoDAsync)          \
  X(event_create, cuEventCreate)           \
  X(event_record, cuEventRecord)           \
  X(event_wait, cuEventSynchronize)        \
  X(event_query, cuEventQuery)             \
  X(event_destroy, cuEventDestroy)         \
  X(error_name, cuGetErrorName)            \
  X(error_text, cuGetErrorString)

#define SAME_TYPE(field, function)                                                                      \
  _Static_assert(__builtin_types_compatible_p(__typeof__(((calliope_cuda*)0)->field), __typeof__(&function)), \
                 #function);
FUNCTIONS(SAME_TYPE)

_Static_assert((int)CUDA_OK == (int)CUDA_SUCCESS, "CUDA_OK");
_Static_assert((int)CUDA_OUT_OF_MEMORY == (int)CUDA_ERROR_OUT_OF_MEMORY, "CUDA_OUT_OF_MEMORY");
_Static_assert((int)CUDA_NOT_READY == (int)CUDA_ERROR_NOT_READY, "CUDA_NOT_READY");
_Static_assert((int)CUDA_HOST_PORTABLE == CU_MEMHOSTALLOC_PORTABLE, "CUDA_HOST_PORTABLE");
_Static_assert((int)CUDA_EVENT_BLOCKS == (int)CU_EVENT_BLOCKING_SYNC, "CUDA_EVENT_BLOCKS");
_Static_assert((int)CUDA_EVENT_NO_TIMING == (int)CU_EVENT_DISABLE_TIMING, "CUDA_EVENT_NO_TIMING");

// The header makes some names macros, which are expanded here.
#define TEXT(function) #function
#define NAME(field, function) TEXT(function),

int main(void) {
  static const char* const names[] = {FUNCTIONS(NAME)};
  _Static_assert(sizeof names == sizeof(calliope_cuda), "number of functions");
  int wrong = 0;
  for (int i = 0; i < CALLIOPE_CUDA_FUNCTIONS; i++) {
    if (strcmp(names[i], calliope_cuda_names[i]) != 0) {
      printf("%s is called %s\n", names[i], calliope_cuda_names[i]);
      wrong = 1;
    }
  }
  return wrong;
}
