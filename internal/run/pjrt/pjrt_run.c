#include "pjrt_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../host/cgo/denormal.h"
#include "pjrt_error.h"

extern void calliopePJRTDone(uintptr_t handle);

// Keeps the first error of a run. Several devices may fail at once, on threads of
// XLA's.
static void keep_error(calliope_run* run, pjrt_error* error) {
  int32_t none = 0, code = calliope_error_code(run->api, error);
  if (__atomic_compare_exchange_n(&run->code, &none, code, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    pjrt_error_message_args message = calliope_error_message(run->api, error);
    run->message = malloc(message.message_size + 1);
    if (run->message != NULL) {
      memcpy(run->message, message.message, message.message_size);
      run->message[message.message_size] = 0;
      run->message_size = message.message_size;
    }
  }
  calliope_error_destroy(run->api, error);
}

calliope_run* calliope_run_new(const pjrt_api* api, void* executable, int32_t devices, int32_t num_args,
                               int32_t num_outputs) {
  size_t d = (size_t)devices, a = (size_t)num_args, o = (size_t)num_outputs;
  calliope_run* run = calloc(1, sizeof *run + (d * (a + o + 3) + a + 1) * sizeof(void*));
  if (run == NULL) return NULL;
  run->api = api;
  run->executable = executable;
  run->devices = devices;
  run->num_args = num_args;
  run->num_outputs = num_outputs;
  void** rest = (void**)(run + 1);
  run->events = (pjrt_event**)rest, rest += d;
  run->arg_lists = (pjrt_buffer***)rest, rest += d;
  run->output_lists = (pjrt_buffer***)rest, rest += d;
  run->args = (pjrt_buffer**)rest, rest += d * a;
  run->outputs = (pjrt_buffer**)rest, rest += d * o;
  run->kept = (int64_t*)rest;
  for (size_t i = 0; i < d; i++) {
    run->arg_lists[i] = run->args + i * a;
    run->output_lists[i] = run->outputs + i * o;
  }
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
#ifndef __APPLE__
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&run->cond, &attr);
  pthread_condattr_destroy(&attr);
  pthread_mutex_init(&run->mu, NULL);
  return run;
}

void calliope_run_free(calliope_run* run) {
  calliope_run_clear(run);
  pthread_mutex_destroy(&run->mu);
  pthread_cond_destroy(&run->cond);
  free(run);
}

void calliope_run_clear(calliope_run* run) {
  if (run->message != NULL) free(run->message);
  run->message = NULL;
  run->message_size = 0;
  run->code = 0;
  run->subscribed = 0;
  run->over = 0;
  run->handle = 0;
}

static void drop(calliope_run* run, pjrt_error* error) {
  if (error != NULL) calliope_error_destroy(run->api, error);
}

static int ready(calliope_run* run, pjrt_event* event) {
  pjrt_event_ready_args args = {.struct_size = PJRT_SIZE(pjrt_event_ready_args, ready), .event = event};
  pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_IS_READY, &args);
  drop(run, error);
  return error == NULL && args.ready;
}

static void destroy_events(calliope_run* run) {
  for (int32_t i = 0; i < run->num_events; i++) {
    pjrt_event_args args = {.struct_size = sizeof args, .event = run->events[i]};
    drop(run, CALL(run->api, PJRT_FN_EVENT_DESTROY, &args));
  }
  run->num_events = 0;
}

static pjrt_error* execute(calliope_run* run) {
  pjrt_execute_options options = {.struct_size = sizeof options,
                                  .launch_id = run->id,
                                  .non_donatable_input_indices = run->kept,
                                  .num_non_donatable_input_indices = (size_t)run->num_kept};
  pjrt_execute_args args = {.struct_size = sizeof args,
                            .executable = run->executable,
                            .options = &options,
                            .argument_lists = run->arg_lists,
                            .num_devices = (size_t)run->devices,
                            .num_args = (size_t)run->num_args,
                            .output_lists = (pjrt_buffer** const*)run->output_lists,
                            .complete_events = run->events,
                            .device = run->device};
  return CALL(run->api, PJRT_FN_EXECUTE, &args);
}

int calliope_run_launch(calliope_run* run) {
  pjrt_error* error = execute(run);
  if (error != NULL) {
    keep_error(run, error);
    return CALLIOPE_RUN_REFUSED;
  }
  run->num_events = run->devices;
  for (int32_t i = 0; i < run->num_events; i++) {
    if (!ready(run, run->events[i])) return CALLIOPE_RUN_PENDING;
  }
  for (int32_t i = 0; i < run->num_events; i++) {
    pjrt_event_args event = {.struct_size = sizeof event, .event = run->events[i]};
    error = CALL(run->api, PJRT_FN_EVENT_ERROR, &event);
    if (error != NULL) keep_error(run, error);
  }
  destroy_events(run);
  return CALLIOPE_RUN_OVER;
}

// Nothing of the run is touched after the lock is given back: whoever waits may have
// it for another execution.
static void one_less(calliope_run* run) {
  if (__atomic_sub_fetch(&run->pending, 1, __ATOMIC_ACQ_REL) != 0) return;
  destroy_events(run);
  pthread_mutex_lock(&run->mu);
  run->over = 1;
  uintptr_t handle = run->handle;
  pthread_cond_signal(&run->cond);
  pthread_mutex_unlock(&run->mu);
  if (handle == 0) return;
  uint64_t denormals = calliope_denormals_begin();
  calliopePJRTDone(handle);
  calliope_denormals_end(denormals);
}

static void on_ready(pjrt_error* error, void* arg) {
  calliope_run* run = arg;
  if (error != NULL) keep_error(run, error);
  one_less(run);
}

static void subscribe(calliope_run* run) {
  if (run->subscribed) return;
  run->subscribed = 1;
  int32_t events = run->num_events;
  run->pending = events + 1;  // one for this function, which still reads the run
  for (int32_t i = 0; i < events; i++) {
    pjrt_event_on_ready_args args = {
        .struct_size = sizeof args, .event = run->events[i], .callback = on_ready, .arg = run};
    pjrt_error* error = CALL(run->api, PJRT_FN_EVENT_ON_READY, &args);
    if (error != NULL) on_ready(error, run);
  }
  one_less(run);
}

int calliope_run_wait(calliope_run* run, int64_t timeout_ns) {
  subscribe(run);
  struct timespec until;
#ifdef __APPLE__
  clock_gettime(CLOCK_REALTIME, &until);
#else
  clock_gettime(CLOCK_MONOTONIC, &until);
#endif
  int64_t ns = until.tv_nsec + timeout_ns;
  until.tv_sec += ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  pthread_mutex_lock(&run->mu);
  int late = 0;
  while (!run->over && late != ETIMEDOUT) late = pthread_cond_timedwait(&run->cond, &run->mu, &until);
  int over = run->over;
  pthread_mutex_unlock(&run->mu);
  return over;
}

int calliope_run_notify(calliope_run* run, uintptr_t handle) {
  subscribe(run);
  pthread_mutex_lock(&run->mu);
  int over = run->over;
  if (!over) run->handle = handle;
  pthread_mutex_unlock(&run->mu);
  return over;
}
