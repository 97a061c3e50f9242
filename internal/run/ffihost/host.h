#ifndef CALLIOPE_FFI_HOST_H
#define CALLIOPE_FFI_HOST_H

#include "../ffi/ffi_abi.h"

// A frame says the size that ends with the attributes, in every version of the FFI, and handlers compare it.

enum { FFI_STAGES = 4 };  // instantiate, prepare, initialize, execute

// A state of a stage, which a handler has set, or what a caller has given to a run.
typedef struct {
  int64_t type_id;
  void* value;
} host_state;

// What a handler may ask of a run.
typedef struct {
  int64_t id;
  int32_t device;
  int64_t num_data;
  uintptr_t data;  // a const host_state*, of Go
} host_run;

// What a handler's calls share: those of one call site.
typedef struct {
  host_state states[FFI_STAGES];
} host_site;

// calliope_host_site_free frees the states of a site by the functions of their types.
void calliope_host_site_free(host_site* site);

// calliope_host_version asks a handler for its version. It returns NULL, or an error.
ffi_error* calliope_host_version(ffi_handler handler, ffi_metadata* metadata);

// calliope_host_call calls a handler, and waits for the future that it may return. It returns NULL, or an error.
ffi_error* calliope_host_call(ffi_handler handler, ffi_frame* frame, host_site* site, const host_run* run);

// calliope_host_type registers a type of states: it gives it a number, if it has none.
ffi_error* calliope_host_type(int64_t* id, const ffi_type_info* info);

// calliope_host_fail makes an error of a code of absl.
ffi_error* calliope_host_fail(int32_t code, const char* message);

// The text and the code of an error, which calliope_host_error_free frees.
const char* calliope_host_error(ffi_error* error, int32_t* code);
void calliope_host_error_free(ffi_error* error);

#endif
