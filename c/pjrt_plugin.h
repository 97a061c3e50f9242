#ifndef CALLIOPE_PJRT_PLUGIN_H
#define CALLIOPE_PJRT_PLUGIN_H

#include "ffi_handler.h"
#include "pjrt_abi.h"

// One execution. C memory: it is written by XLA's threads while Go is elsewhere.
// Execute fills in the events, one for each device, and the run owns them.
typedef struct {
  const pjrt_api* api;
  int32_t id;  // the launch id, by which a handler knows its run
  int32_t capacity;
  int32_t num_events;
  int32_t pending;
  int32_t code;   // of the first error, 0 where there is none
  char* message;  // malloc'ed, with code
  size_t message_size;
  uintptr_t handle;  // of the Go value that waits
  pjrt_event* events[];
} calliope_run;

typedef struct {
  const pjrt_api* api;  // the plugin's own table
  pjrt_api* table;      // the copy of it that gopjrt gets
  const ffi_api* ffi;
} calliope_plugin;

// Gets the plugin's table from its GetPjrtApi, finds and checks its FFI, and makes
// the decorated copy. Returns NULL or a malloc'ed sentence.
char* calliope_pjrt_load(int plugin, void* get_api, calliope_plugin* out);

// A run for at most devices devices, without events.
calliope_run* calliope_run_new(const pjrt_api* api, int32_t id, int32_t devices);

// Destroys the events, which must be ready, and frees the run.
void calliope_run_free(calliope_run* run);

// Makes run the one that the next Execute on this thread belongs to; NULL takes
// it back.
void calliope_run_begin(calliope_run* run);

// 1 when every event of the run is there.
int calliope_run_ready(calliope_run* run);

// Blocks until the run is over on every device, and keeps the first error.
void calliope_run_await(calliope_run* run);

// Calls calliopePJRTDone(handle) once the run is over on every device, perhaps
// before this function returns.
void calliope_run_notify(calliope_run* run, uintptr_t handle);

#endif
