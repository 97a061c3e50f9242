#ifndef CALLIOPE_PJRT_PROGRAM_H
#define CALLIOPE_PJRT_PROGRAM_H

#include "pjrt_abi.h"

// Replaces the plugin's Client_Compile: appends the bytes of calliope_add_options to the
// options, or, after calliope_load_next, loads the program instead of compiling it.
pjrt_error* calliope_compile(const pjrt_api* api, pjrt_compile_args* args);

// Sets what is appended to the options of the next compile on this thread: fields of a
// CompileOptionsProto, which stay the caller's until then. NULL for nothing.
void calliope_add_options(const char* options, size_t size);

// Makes the next compile on this thread take its program as what Executable_Serialize
// returned, if on is not 0.
void calliope_load_next(int on);

// An executable as bytes, which the caller frees by the deleter.
typedef struct {
  pjrt_error* error;
  const char* data;
  size_t size;
  pjrt_serialized* owner;
  void (*deleter)(pjrt_serialized*);
} calliope_serialized;

calliope_serialized calliope_serialize(const pjrt_api* api, void* loaded_executable);

static inline void calliope_serialized_free(calliope_serialized s) { s.deleter(s.owner); }

typedef struct {
  pjrt_error* error;
  pjrt_memory_use device, host;
} calliope_memory;

// What an executable needs. The plugin must have the function.
calliope_memory calliope_executable_memory(const pjrt_api* api, void* loaded_executable);

static inline int calliope_has(const pjrt_api* api, int function) { return api->functions[function] != NULL; }

// Stands in for the plugin's LoadedExecutable_GetExecutable, which is called at the
// end of a compile, and remembers for this thread what that gave.
pjrt_error* calliope_get_executable(const pjrt_api* api, pjrt_get_executable_args* args);

// The loaded executable that was last compiled on this thread, NULL where none was. To be
// called last.
void* calliope_last_loaded(void);

// The optimized program of the executable that was last compiled on this thread, as a
// serialized HloModuleProtoWithConfig: malloc'ed, NULL where the plugin has none.
char* calliope_pjrt_program(const pjrt_api* api, size_t* size);

#endif
