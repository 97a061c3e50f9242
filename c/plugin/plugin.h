#ifndef CALLIOPE_PLUGIN_H_
#define CALLIOPE_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

// calliope_share_signal gives the signals by which Go interrupts goroutines to the Go runtime of the host, too.
void calliope_share_signal(void);

// calliope_call_ready calls a PJRT_Event_OnReadyCallback with an error, which may be 0.
void calliope_call_ready(uintptr_t callback, uintptr_t error, uintptr_t user_arg);

// calliope_call_python calls what package calliope_jax has registered: a function of a number, and of the addresses of
// arrays. It returns NULL, or the text of an error.
const char *calliope_call_python(uintptr_t f, int64_t number, const uintptr_t *args, const uintptr_t *results);

// calliope_free frees memory that a caller was given with a function that frees it.
void calliope_free(void *p);

// calliope_deleter returns calliope_free.
uintptr_t calliope_deleter(void);

#endif
