#ifndef CALLIOPE_FFI_HANDLER_H
#define CALLIOPE_FFI_HANDLER_H

#include "ffi_call.h"

// How many tables of XLA's FFI, of plugins and hosts, a process calls back from.
enum { CALLIOPE_MAX_TABLES = 16 };

// How many targets of other hosts a process serves. Each has its own entry point, because a
// call site does not name its target.
enum { CALLIOPE_MAX_FOREIGN = 256 };

// Where the operands and results of a table's calls are. A host that registers the handlers
// itself does not say for which platform it does: the first call shows it.
enum { CALLIOPE_MEMORY_UNKNOWN, CALLIOPE_MEMORY_HOST, CALLIOPE_MEMORY_DEVICE };

typedef struct {
  const ffi_api* api;
  int64_t type_id;  // of the state that a call site keeps, given by XLA
  int32_t memory;   // one of CALLIOPE_MEMORY_..., read and written atomically
  int32_t host;     // the runs are those of a host, not of this module
} calliope_ffi;

// What a call site hands to Go when XLA instantiates it, and what Go answers.
typedef struct {
  ffi_frame* frame;
  int32_t foreign;  // the number of the target, from 1; 0 for a target of the contract
  int32_t host;     // a host compiles the module
  uintptr_t site;  // out: what Go calls the site, not 0
  int32_t code;    // out: 0 or an absl status code
  char* message;   // out: malloc'ed, where code is not 0
} calliope_instantiation;

// Opens a table of XLA's FFI: checks every layout in it and registers what all handlers
// share. own says that this module starts the runs, and memory where their operands and
// results are. Opening a table again does nothing. Returns NULL or a malloc'ed text.
char* calliope_ffi_open(const ffi_api* api, int own, int memory);

// The handlers of the contract's targets, for both stages, of every table. The first
// instantiation opens a table that is not open. The attributed one refuses a call without
// attributes.
ffi_error* calliope_ffi_instantiate(ffi_frame* frame);
ffi_error* calliope_ffi_instantiate_attributed(ffi_frame* frame);
ffi_error* calliope_ffi_execute(ffi_frame* frame);

// Registers the handlers under a target name for a platform of XLA, where attributed is not
// 0 the attributed one. Returns NULL or a malloc'ed text.
char* calliope_ffi_register(const ffi_api* api, const char* target, const char* platform, int attributed);

// Registers the handlers under a target name of another host. Calls of it are
// instantiated with the target's number, from 1 to CALLIOPE_MAX_FOREIGN, which no other
// target of the process may have. Returns NULL or a malloc'ed text.
char* calliope_ffi_register_foreign(const ffi_api* api, const char* target, const char* platform, int number);

// The handler that only tells which table the plugin's FFI has: registering it
// through the PJRT extension makes XLA call it with the table on the frame.
ffi_error* calliope_ffi_boot(ffi_frame* frame);
const ffi_api* calliope_ffi_boot_api(void);

// The call that is running on this thread, NULL outside of any.
calliope_call* calliope_ffi_inside(void);

// Makes this thread one that is inside a call of the given run id until the matching
// leave: for functions that are called on another thread than XLA's. A leave on a third
// thread, where a function has undone its goroutine's lock to the thread, is noted and
// carried out when this thread is next asked.
calliope_call* calliope_ffi_enter(int64_t run_id);
void calliope_ffi_leave(calliope_call* call);

// Sets the number that calliope_ffi_binding returns on this thread. Returns the one before.
uint64_t calliope_ffi_bind_within(uint64_t number);
uint64_t calliope_ffi_binding(void);

// Makes the call one that XLA does not take for done when its handler returns, but
// when the future is. NULL where XLA gives none.
ffi_future* calliope_ffi_defer(calliope_call* call);

// Ends a deferred call, with an error where code is not 0; the message is freed. XLA
// may go on with the whole run before this returns.
void calliope_ffi_finish(const ffi_api* api, ffi_future* future, int32_t code, char* message);

#endif
