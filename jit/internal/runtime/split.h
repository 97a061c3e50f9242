#ifndef CALLIOPE_JIT_SPLIT_H
#define CALLIOPE_JIT_SPLIT_H

#include <stdint.h>

// A loop whose iterations may run in any order, on several threads.
typedef struct calliope_jit_loop {
  void (*body)(void** arguments);  // a packed function of the bounds of a range and of the words
  int64_t size, grain;             // the number of iterations, of which those of a range
  int64_t memory;                  // the size of what the last word points to, if each thread has its own
  int64_t next;                    // the first one that no thread has taken
  int64_t n;                       // the number of words
  void** words;                    // addresses, or numbers of 64 bits
} calliope_jit_loop;

// What compiled code calls: runs body for all ranges of a loop, with n words. If memory is not 0, the last word is the
// address of so many bytes, in whose place other threads have memory of their own.
void calliope_jit_split(void (*body)(void**), int64_t size, int64_t grain, int64_t memory, int64_t n, ...);

// Its address. cgo does not know functions with further arguments.
extern void* const calliope_jit_split_address;

// Runs ranges of a loop until no more are left to take. memory is that of the thread, or NULL for the loop's own one.
void calliope_jit_take(calliope_jit_loop* loop, void* memory);

#endif
