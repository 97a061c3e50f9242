#ifndef CALLIOPE_JIT_CALL_H
#define CALLIOPE_JIT_CALL_H

#include <stddef.h>
#include <stdint.h>

// Calls a packed function with its arguments in a run of a module, whose calls of the host have this handle. Returns 0
// if the run ended before the function returned: because a call failed, or because stop was not 0 where the function
// looked.
int calliope_jit_invoke(void (*function)(void**), void** arguments, uintptr_t handle, uint64_t module,
                        int depth, const uint32_t* stop);

// What compiled code calls: a function of the host, with the addresses of n arrays. Does not return if the call fails.
void calliope_jit_call(int64_t site, int64_t n, ...);

// Its address. cgo does not know functions with further arguments.
extern void* const calliope_jit_call_address;

// What compiled code calls to say which device makes the calls of the host that follow. It is 0 before.
void calliope_jit_device(const int32_t* number);

// What compiled code calls where a loop begins a further iteration. Does not return if the run must stop.
void calliope_jit_check(void);

// Returns whether this thread is in a call of the host by a run of a module.
int calliope_jit_inside(uint64_t module);

// Returns the depth of the run in whose call of the host this thread is, or 0.
int calliope_jit_depth(void);

// Makes this thread one in such a call until calliope_jit_leave gets the result, on whichever thread that is.
void* calliope_jit_enter(uint64_t module, int depth);
void calliope_jit_leave(void* entered);

#endif
