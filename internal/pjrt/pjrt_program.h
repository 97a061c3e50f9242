#ifndef CALLIOPE_PJRT_PROGRAM_H
#define CALLIOPE_PJRT_PROGRAM_H

#include "pjrt_abi.h"

// Replaces the plugin's Client_Compile: appends the bytes of calliope_add_options to the
// options.
pjrt_error* calliope_compile(const pjrt_api* api, pjrt_compile_args* args);

// Sets what is appended to the options of the next compile on this thread: fields of a
// CompileOptionsProto, which stay the caller's until then. NULL for nothing.
void calliope_add_options(const char* options, size_t size);

// Stands in for the plugin's LoadedExecutable_GetExecutable, which is called at the
// end of a compile, and remembers for this thread what that gave.
pjrt_error* calliope_get_executable(const pjrt_api* api, pjrt_get_executable_args* args);

// The loaded executable that was last compiled on this thread, NULL where none was.
void* calliope_last_loaded(void);

// The optimized program of the executable that was last compiled on this thread, as a
// serialized HloModuleProtoWithConfig: malloc'ed, NULL where the plugin has none.
char* calliope_pjrt_program(const pjrt_api* api, size_t* size);

#endif
