#ifndef CALLIOPE_PJRT_RUN_H
#define CALLIOPE_PJRT_RUN_H

#include <pthread.h>

#include "pjrt_abi.h"

// One execution; the memory is reused by later ones of the same executable. It is C's: it is
// written by XLA's threads while Go is elsewhere. Go fills in what stands above the
// line before each launch.
typedef struct {
  const pjrt_api* api;
  void* executable;
  int32_t devices;
  int32_t num_args;     // on each device
  int32_t num_outputs;  // on each device
  int32_t id;           // the launch id, by which a handler knows its run
  void* device;         // NULL for those that the module was compiled for
  pjrt_buffer** args;   // device by device
  int64_t* kept;        // which arguments are not donated
  int64_t num_kept;

  // ----
  pjrt_buffer** outputs;  // device by device, the caller's after a launch that did not fail
  pjrt_buffer*** arg_lists;
  pjrt_buffer*** output_lists;
  pjrt_event** events;  // one for each device
  int32_t num_events;
  int32_t pending;
  int32_t code;   // of the first error, 0 where there is none
  char* message;  // malloc'ed, with code
  size_t message_size;

  pthread_mutex_t mu;
  pthread_cond_t cond;
  int subscribed;
  int over;
  uintptr_t handle;  // of the Go value that is to be notified
} calliope_run;

// Allocates memory for executions of one shape. NULL if there is none.
calliope_run* calliope_run_new(const pjrt_api* api, void* executable, int32_t devices, int32_t num_args,
                               int32_t num_outputs);

// Frees the run; no execution is in flight in it.
void calliope_run_free(calliope_run* run);

enum { CALLIOPE_RUN_OVER, CALLIOPE_RUN_PENDING, CALLIOPE_RUN_REFUSED };

// Executes. OVER: the run is over on every device; the error, if any, is in the run.
// PENDING: wait, or have notified. REFUSED: nothing was executed; the error says why.
int calliope_run_launch(calliope_run* run);

// Waits until the run is over on every device, for no longer than timeout_ns; 1 where
// it is.
int calliope_run_wait(calliope_run* run, int64_t timeout_ns);

// Returns 1 where the run is over on every device; otherwise calliopePJRTDone(handle)
// is called when it is, perhaps before this function returns.
int calliope_run_notify(calliope_run* run, uintptr_t handle);

// Prepares the memory for the next execution; the run is over.
void calliope_run_clear(calliope_run* run);

#endif
