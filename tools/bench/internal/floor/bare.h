#ifndef CALLIOPE_FLOOR_BARE_H
#define CALLIOPE_FLOOR_BARE_H

#include <stddef.h>
#include <stdint.h>

// Executions through a plugin's PJRT table with nothing in between: the floor that runs
// are measured against. The module takes one f32 vector and gives one of the same length.
typedef struct calliope_bare calliope_bare;

enum {
  CALLIOPE_BARE_RUN,          // execute, await, destroy the output
  CALLIOPE_BARE_HELPER,       // a kept thread executes, this one waits on a futex
  CALLIOPE_BARE_HELPER_SPIN,  // both look for 20 us before they sleep
  CALLIOPE_BARE_ROUND,        // copy the array in, run, copy the result out
  CALLIOPE_BARES,
};

// Takes a plugin's table (PJRT_Api), makes a client of one device, compiles the module, which is text or bytecode, and puts
// the numbers 0, 1, 2, ... on the device. Returns NULL or a malloc'ed text.
char* calliope_bare_open(const void* pjrt, const char* module, size_t size, int64_t length, calliope_bare** out);

// Does it n times and says how many seconds it took. Returns NULL or a malloc'ed text.
char* calliope_bare_run(calliope_bare* bare, int way, int64_t n, double* seconds);

// Runs once and copies the result to out. Returns NULL or a malloc'ed text.
char* calliope_bare_result(calliope_bare* bare, float* out);

void calliope_bare_close(calliope_bare* bare);

#endif
