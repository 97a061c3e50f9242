#ifndef CALLIOPE_FFI_ABI_H
#define CALLIOPE_FFI_ABI_H

// XLA's typed FFI, the part that we use, in declarations of our own. XLA promises
// the bytes, not the names, so the names here are short. Facts come from
// xla/ffi/api/c_api.h of FFI 0.2 to 0.5; where they differ all layouts stand here
// and ffi_call.h picks one by the version that the plugin reports.
//
// Every structure starts with its own size; the callee refuses one that is smaller
// than what it knows.

#include <stddef.h>
#include <stdint.h>

enum { FFI_OLDEST_MINOR = 2, FFI_NEWEST_MINOR = 5 };  // of major version 0

typedef struct ffi_api ffi_api;
typedef struct ffi_error ffi_error;      // opaque, owned by whoever receives it
typedef struct ffi_context ffi_context;  // opaque, one per call
typedef struct ffi_future ffi_future;    // opaque, XLA's

typedef struct ffi_extension {
  size_t struct_size;
  int32_t type;
  struct ffi_extension* next;
} ffi_extension;

enum { FFI_EXTENSION_METADATA = 1 };

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  int32_t major;
  int32_t minor;
} ffi_version;

typedef struct {
  size_t struct_size;
  ffi_version version;
  uint32_t traits;
} ffi_metadata;

// Put on the frame by XLA when it registers a handler, to ask for its version.
typedef struct {
  ffi_extension base;
  ffi_metadata* metadata;
} ffi_metadata_extension;

typedef struct {
  const char* data;
  size_t size;
} ffi_span;

// One argument or result. In host memory for the platform Host, and in the device's for
// CUDA; dims has rank entries and may be NULL when rank is 0.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  int32_t dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
} ffi_buffer;

enum { FFI_KIND_BUFFER = 1 };

enum { FFI_ATTR_ARRAY = 1, FFI_ATTR_DICTIONARY = 2, FFI_ATTR_SCALAR = 3, FFI_ATTR_STRING = 4 };

typedef struct {
  int32_t dtype;
  void* value;
} ffi_scalar;

typedef struct {
  int32_t dtype;
  size_t size;
  void* data;
} ffi_array;

// Arguments and results have the same shape: size entries, each a kind and an
// item (ffi_buffer where the kind is FFI_KIND_BUFFER).
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  int64_t size;
  int32_t* kinds;
  void** items;
} ffi_values;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  int64_t size;
  int32_t* kinds;
  ffi_span** names;
  void** items;
} ffi_attrs;

enum { FFI_STAGE_INSTANTIATE = 0, FFI_STAGE_EXECUTE = 3 };

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  const ffi_api* api;
  ffi_context* context;
  int32_t stage;
  ffi_values args;
  ffi_values results;
  ffi_attrs attrs;
  ffi_future* future;  // set by a handler that is not done when it returns
} ffi_frame;

typedef ffi_error* (*ffi_handler)(ffi_frame*);

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  const char* message;  // ends at the first NUL
  int32_t code;
} ffi_error_create_args;

// Error_GetMessage, which FFI 0.4 replaced by Error_GetDetails. Up to 0.3 the structure
// ends with the message.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_error* error;
  const char* message;
  int32_t code;
} ffi_error_details_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_error* error;
} ffi_error_destroy_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_span name;
  ffi_span platform;
  ffi_handler instantiate;
  ffi_handler prepare;
  ffi_handler initialize;
  ffi_handler execute;
  uint32_t traits;
  // Not counted. FFI 0.4 has a fifth handler, record, before the traits, and still takes
  // the structure of 84 bytes. Read as the longer one, this one has no such handler.
  uint32_t zeros[3];
} ffi_handler_register_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  void (*deleter)(void* object);
} ffi_type_info;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_span name;
  int64_t* type_id;
  const ffi_type_info* info;
} ffi_type_register_args;

// Both for setting and for getting, in FFI 0.2.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  int64_t* type_id;
  void* state;
} ffi_state_args_2;

// Since FFI 0.3 the stage is in the middle.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  int32_t stage;
  int64_t* type_id;
  void* state;
} ffi_state_args_3;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  int64_t run_id;
} ffi_run_id_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  int32_t ordinal;
} ffi_device_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_future* future;  // out of Create, into SetAvailable
} ffi_future_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_future* future;
  ffi_error* error;  // XLA's from then on
} ffi_future_error_args;

// On the platform CUDA the stream is a CUstream. A call of the platform Host has none, which
// is an error.
typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  void* stream;  // out
} ffi_stream_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  size_t size;
  size_t alignment;
  void* data;  // out
} ffi_allocate_args;

typedef struct {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_context* context;
  size_t size;
  void* data;
} ffi_free_args;

// The size that XLA counts ends with the last field, not with the padding behind.
#define FFI_SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))

struct ffi_api {
  size_t struct_size;
  ffi_extension* extensions;
  ffi_version version;
  const void* internal;
  ffi_error* (*error_create)(ffi_error_create_args*);
  void (*error_details)(ffi_error_details_args*);
  void (*error_destroy)(ffi_error_destroy_args*);
  ffi_error* (*handler_register)(ffi_handler_register_args*);
  ffi_error* (*stream_get)(ffi_stream_args*);
  ffi_error* (*type_register)(ffi_type_register_args*);
  void* execution_context_get;
  ffi_error* (*state_set)(void* args);
  ffi_error* (*state_get)(void* args);
  ffi_error* (*device_memory_allocate)(ffi_allocate_args*);
  ffi_error* (*device_memory_free)(ffi_free_args*);
  void* thread_pool_schedule;
  void* thread_pool_num_threads;
  ffi_error* (*future_create)(ffi_future_args*);
  ffi_error* (*future_set_available)(ffi_future_args*);
  ffi_error* (*future_set_error)(ffi_future_error_args*);
  ffi_error* (*run_id_get)(ffi_run_id_args*);
  ffi_error* (*device_ordinal_get)(ffi_device_args*);
  void* find_extension;      // since FFI 0.4
  void* custom_options_get;  // since FFI 0.5
};

#endif
