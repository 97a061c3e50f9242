#ifndef CALLIOPE_LEGACY_H
#define CALLIOPE_LEGACY_H

#include <stddef.h>
#include <stdint.h>

#define CALLIOPE_CUSTOM_CALL_SERVER
#include "../../../c/include/calliope_custom_call.h"

// What is wrong with the message of a failure.
enum { CALLIOPE_MESSAGE_OK, CALLIOPE_MESSAGE_NULL, CALLIOPE_MESSAGE_LONG, CALLIOPE_MESSAGE_NO_MEMORY };

// The longest message that is copied, in bytes.
enum { CALLIOPE_MESSAGE_LIMIT = 1 << 20 };

typedef struct {
  int32_t failed;   // out: whether the function reported a failure
  int32_t problem;  // out: one of CALLIOPE_MESSAGE_…
  char* message;    // out: malloc'ed, or NULL
  size_t length;    // out: of the message, as the function gave it
  int32_t memory;   // out: 0 if there was no memory for the call
} calliope_legacy_result;

// Calls a function with pointers to arrays, the operands first. slots is the memory of the tuples:
// each slot is an array (its number) or a tuple (the number of its first slot, as -1 - number). The
// first slots are the operands. out is the result, in the same form. A crash is reported with the name.
void calliope_legacy_call(const char* name, void* function, int32_t form, void** arrays, const int32_t* slots,
                          size_t n_slots, int32_t out, const char* opaque, size_t opaque_len,
                          calliope_legacy_result* result);

// Calls calliope_custom_calls of a library.
const CalliopeCustomCall* calliope_legacy_list(void* function);

typedef const char calliope_const_char;
void calliope_legacy_set_failure(XlaCustomCallStatus* status, const char* message, size_t length);
void calliope_legacy_set_success(XlaCustomCallStatus* status);

// A place for the address of arrays without elements, which is not NULL.
extern char calliope_legacy_empty[64];

#endif
