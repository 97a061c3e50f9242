#ifndef CALLIOPE_STACK_H
#define CALLIOPE_STACK_H

#include <stddef.h>
#include <stdint.h>

// Runs the Go function behind handle on a new thread with a stack of the given
// size and waits for it. Returns 0 or an errno value, or,
// on Windows, one of GetLastError.
int calliope_on_stack(size_t bytes, uintptr_t handle);

// Reports whether the calling thread was started by calliope_on_stack.
int calliope_is_on_stack(void);

#endif
