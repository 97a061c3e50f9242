#ifndef CALLIOPE_INFLIGHT_H
#define CALLIOPE_INFLIGHT_H

#include <stddef.h>
#include <stdint.h>

// A call that is being executed on some thread.
typedef struct {
  int64_t run_id;
  uintptr_t site;
  uint64_t sequence;  // no other call of the process has it
} calliope_in_flight;

// Notes a call on this thread, and that the innermost one has returned. They take no
// lock and write to memory of the thread's own.
void calliope_in_flight_begin(int64_t run_id, uintptr_t site);
void calliope_in_flight_end(void);

// Copies up to n of the calls that are under way on all threads to out, and returns how
// many there are. A call that begins or returns meanwhile may be missing.
size_t calliope_ffi_in_flight(calliope_in_flight* out, size_t n);

#endif
