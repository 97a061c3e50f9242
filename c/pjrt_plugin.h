#ifndef CALLIOPE_PJRT_PLUGIN_H
#define CALLIOPE_PJRT_PLUGIN_H

#include "ffi_handler.h"
#include "pjrt_abi.h"

typedef struct {
  const pjrt_api* api;  // the plugin's own table
  pjrt_api* table;      // the copy of it that gopjrt gets
  const ffi_api* ffi;
} calliope_plugin;

// Gets the plugin's table from its GetPjrtApi, finds and checks its FFI, and makes
// the decorated copy. Returns NULL or a malloc'ed sentence.
char* calliope_pjrt_load(int plugin, void* get_api, calliope_plugin* out);

// The client that was last made on this thread, and its devices; NULL where none was.
void* calliope_last_client(const pjrt_api* api, void* const** devices, size_t* num_devices);

#endif
