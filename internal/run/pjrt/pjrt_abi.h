#ifndef CALLIOPE_PJRT_ABI_H
#define CALLIOPE_PJRT_ABI_H

// The part of the PJRT C API that we touch ourselves, in declarations of our own.
// Facts come from xla/pjrt/c/pjrt_c_api.h and pjrt_c_api_ffi_extension.h. Clients are
// made and modules compiled by others, see Plugin.Decorate.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pjrt_error pjrt_error;
typedef struct pjrt_event pjrt_event;
typedef struct pjrt_buffer pjrt_buffer;

typedef struct pjrt_extension {
  size_t struct_size;
  int32_t type;
  struct pjrt_extension* next;
} pjrt_extension;

enum { PJRT_EXTENSION_GPU = 0, PJRT_EXTENSION_FFI = 5 };

// The functions of pjrt_api that we call or replace, by their place in the table.
enum {
  PJRT_FN_ERROR_DESTROY = 0,
  PJRT_FN_ERROR_MESSAGE = 1,
  PJRT_FN_ERROR_GET_CODE = 2,
  PJRT_FN_EVENT_DESTROY = 5,
  PJRT_FN_EVENT_IS_READY = 6,
  PJRT_FN_EVENT_ERROR = 7,
  PJRT_FN_EVENT_AWAIT = 8,
  PJRT_FN_EVENT_ON_READY = 9,
  PJRT_FN_CLIENT_CREATE = 10,
  PJRT_FN_CLIENT_DESTROY = 11,
  PJRT_FN_DEVICES = 15,
  PJRT_FN_ADDRESSABLE_DEVICES = 16,
  PJRT_FN_COMPILE = 20,
  PJRT_FN_BUFFER_FROM_HOST = 22,
  PJRT_FN_DEVICE_ID = 23,
  PJRT_FN_GET_DESCRIPTION = 29,
  PJRT_FN_DEVICE_MEMORIES = 32,  // AddressableMemories
  PJRT_FN_DEFAULT_MEMORY = 33,
  PJRT_FN_MEMORY_KIND = 36,
  PJRT_FN_EXECUTABLE_DESTROY = 40,
  PJRT_FN_OPTIMIZED_PROGRAM = 48,
  PJRT_FN_SERIALIZE = 49,
  PJRT_FN_LOADED_EXECUTABLE_DESTROY = 50,
  PJRT_FN_GET_EXECUTABLE = 51,
  PJRT_FN_EXECUTE = 55,
  PJRT_FN_DESERIALIZE = 56,  // DeserializeAndLoad
  PJRT_FN_BUFFER_DESTROY = 58,
  PJRT_FN_BUFFER_ELEMENT_TYPE = 59,
  PJRT_FN_BUFFER_DIMENSIONS = 60,
  PJRT_FN_BUFFER_LAYOUT = 63,  // GetMemoryLayout
  PJRT_FN_BUFFER_MEMORY = 66,
  PJRT_FN_BUFFER_TO_DEVICE = 69,
  PJRT_FN_BUFFER_TO_HOST = 70,
  PJRT_FN_BUFFER_ON_HOST = 71,  // IsOnCpu
  PJRT_FN_BUFFER_READY_EVENT = 72,
  PJRT_FN_BUFFER_UNSAFE_POINTER = 73,
  PJRT_FN_BUFFER_HOLD = 74,     // IncreaseExternalReferenceCount
  PJRT_FN_BUFFER_RELEASE = 75,  // DecreaseExternalReferenceCount
  PJRT_FN_MEMORY_STATS = 96,    // Executable_GetCompiledMemoryStats
  // The last that is called, by whoever compiles: a table that ends before it is too old.
  PJRT_FN_LAST_NEEDED = 96,
};

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  struct {
    size_t struct_size;
    pjrt_extension* extensions;
    int32_t major;
    int32_t minor;
  } version;
  void* functions[];
} pjrt_api;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const pjrt_error* error;
} pjrt_error_destroy_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const pjrt_error* error;
  const char* message;  // lives as long as the error
  size_t message_size;
} pjrt_error_message_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const pjrt_error* error;
  int32_t code;
} pjrt_error_code_args;

// For destroying, awaiting and asking for the error.
typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_event* event;
} pjrt_event_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_event* event;
  bool ready;
} pjrt_event_ready_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_event* event;
  void (*callback)(pjrt_error* error, void* arg);  // takes over the error
  void* arg;
} pjrt_event_on_ready_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* send_callbacks;
  void* recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int32_t launch_id;
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  void* context;
  const char* call_location;
  size_t num_tasks;
  int* task_ids;
  int64_t* incarnation_ids;
} pjrt_execute_options;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* executable;
  pjrt_execute_options* options;
  void* argument_lists;
  size_t num_devices;
  size_t num_args;
  pjrt_buffer** const* output_lists;
  pjrt_event** complete_events;
  void* device;
} pjrt_execute_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const void* create_options;
  size_t num_options;
  void* kv_get_callback;
  void* kv_get_arg;
  void* kv_put_callback;
  void* kv_put_arg;
  void* client;  // out
  void* kv_try_get_callback;
  void* kv_try_get_arg;
} pjrt_client_create_args;

// What a client asks the store of its processes for. callback_error points to a function that makes an error.
typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* key;
  size_t key_size;
  int timeout_in_ms;
  void* callback_error;
  void* user_arg;
  char* value;                   // out
  size_t value_size;             // out
  void (*delete_value)(char*);  // out
} pjrt_kv_get_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* key;
  size_t key_size;
  void* callback_error;
  void* user_arg;
  char* value;                   // out
  size_t value_size;             // out
  void (*delete_value)(char*);  // out
} pjrt_kv_try_get_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* key;
  size_t key_size;
  const char* value;
  size_t value_size;
  void* callback_error;
  void* user_arg;
} pjrt_kv_put_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* device;
  void* description;  // out
} pjrt_get_description_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* description;
  int id;  // out
} pjrt_device_id_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* client;
  void* const* devices;  // out, as long as the client lives
  size_t num_devices;    // out
} pjrt_devices_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* device;
  void* const* memories;  // out, as long as the client lives
  size_t num_memories;    // out
} pjrt_device_memories_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* memory;
  const char* kind;  // out, as long as the client lives
  size_t kind_size;  // out
} pjrt_memory_kind_args;

// Of a device (its default memory) or of a buffer.
typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* of;
  void* memory;  // out
} pjrt_memory_args;

enum { PJRT_LAYOUT_TILED = 0 };

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  struct {
    size_t struct_size;
    pjrt_extension* extensions;
    const int64_t* minor_to_major;
    size_t num_minor_to_major;
    const int64_t* tile_dims;
    const size_t* tile_dim_sizes;
    size_t num_tiles;
  } tiled;
  int32_t type;
} pjrt_layout;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  pjrt_layout layout;  // out, as long as the buffer lives
} pjrt_layout_args;

enum { PJRT_HOST_BUFFER_COPY = 0, PJRT_HOST_BUFFER_SHARE = 2 };  // kImmutableOnlyDuringCall, kImmutableZeroCopy

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* client;
  const void* data;
  int32_t type;
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;
  size_t num_byte_strides;
  int32_t semantics;
  void* device;
  void* memory;
  void* device_layout;
  pjrt_event* done;     // out: the host memory is not needed any more
  pjrt_buffer* buffer;  // out
} pjrt_from_host_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  void* device;
  pjrt_buffer* copy;  // out
} pjrt_to_device_args;

// For destroying a buffer, and for holding and releasing its memory.
typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
} pjrt_buffer_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  pjrt_event* event;  // out
} pjrt_buffer_event_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  uintptr_t pointer;  // out
} pjrt_buffer_pointer_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  bool on_host;  // out
} pjrt_buffer_on_host_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  int32_t type;  // out
} pjrt_buffer_type_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  const int64_t* dims;  // out, as long as the buffer lives
  size_t num_dims;      // out
} pjrt_buffer_dims_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  pjrt_buffer* buffer;
  void* host_layout;
  void* dst;
  size_t dst_size;
  pjrt_event* event;  // out
} pjrt_to_host_args;

// No extensions pointer and no API version here, unlike in other releases of the
// header: RegisterHandler asks the plugin for the size before it trusts this.
typedef struct {
  size_t struct_size;
  const char* target;
  size_t target_size;
  void* handler;
  const char* platform;
  size_t platform_size;
  uint32_t traits;
} pjrt_ffi_register_args;

typedef struct {
  pjrt_extension base;
  void* type_register;
  void* user_data_add;
  pjrt_error* (*register_handler)(pjrt_ffi_register_args*);
} pjrt_ffi_extension;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* client;
  const void* program;
  const char* options;  // a serialized CompileOptionsProto
  size_t options_size;
  void* executable;  // out
} pjrt_compile_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* loaded_executable;
  void* executable;
} pjrt_get_executable_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  char* code;  // the caller's, NULL to ask for the size
  size_t code_size;
  const char* format;
  size_t format_size;
} pjrt_program;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* executable;
  pjrt_program* program;
} pjrt_optimized_program_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* executable;
} pjrt_executable_args;

typedef struct {
  int64_t code, arguments, outputs, aliases, temporaries;
} pjrt_memory_use;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* executable;
  pjrt_memory_use device, host;  // out
  int64_t more[8];               // out: the peak, and what newer releases add
} pjrt_memory_stats_args;

typedef struct pjrt_serialized pjrt_serialized;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const void* executable;
  const char* data;        // out, as long as the object
  size_t size;             // out
  pjrt_serialized* owner;  // out
  void (*deleter)(pjrt_serialized*);  // out
} pjrt_serialize_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  void* client;
  const char* data;
  size_t size;
  void* loaded_executable;  // out
  const char* options;      // a CompileOptionsProto instead of the saved one, or NULL
  size_t options_size;
} pjrt_deserialize_args;

// Calls a function of a table that may fail.
#define CALL(api, ordinal, args) (((pjrt_error * (*)(void*))(api)->functions[ordinal])(args))

#define PJRT_SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))

#endif
