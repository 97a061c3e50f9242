#ifndef CALLIOPE_PJRT_PLUGIN_H
#define CALLIOPE_PJRT_PLUGIN_H

#include "pjrt_abi.h"

// Calls the plugin's GetPjrtApi.
const pjrt_api* calliope_pjrt_api(void* get_api);

// The size of pjrt_ffi_register_args that the plugin is to expect.
enum { CALLIOPE_FFI_REGISTER_SIZE = PJRT_SIZE(pjrt_ffi_register_args, traits) };

// Registers a handler of a custom call target for a platform of XLA, in a structure that
// says it has that size.
pjrt_error* calliope_pjrt_register(const pjrt_ffi_extension* ffi, size_t struct_size, const char* target,
                                   size_t target_size, const char* platform, void* handler);

// A copy of a table selects the functions in it that are ours by its number: they get no
// user data.
enum { CALLIOPE_MAX_DECORATED = 4 };

// Makes the copy with that number. NULL where there is no memory.
const pjrt_api* calliope_pjrt_decorate(int number, const pjrt_api* api);

// The number of a device among those of all processes, -1 if the plugin does not say it.
int calliope_device_id(const pjrt_api* api, void* device);

// The client that was last made on this thread, the devices of it that this process can use, and how
// many it has in all processes; NULL where none was.
void* calliope_last_client(const pjrt_api* api, void* const** devices, size_t* num_devices, size_t* in_all);

#endif
