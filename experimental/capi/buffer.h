#ifndef CALLIOPE_BUFFER_H
#define CALLIOPE_BUFFER_H

#include <stdlib.h>
#include <string.h>

#include "gen_mlir_api.h"

// grow returns data, reallocated if it has capacity for fewer than need elements of that
// size. It returns NULL, and data is unchanged, if there is no memory.
static inline void* grow(void* data, size_t* capacity, size_t need, size_t size) {
  if (data && need <= *capacity) return data;
  size_t more = 2 * *capacity + need + 16;
  data = realloc(data, more * size);
  if (data) *capacity = more;
  return data;
}

// Text that a function of the API reports in parts.
typedef struct {
  char* data;
  size_t length, capacity;
  bool failed;  // there was no memory for some part
} text;

// text_append is the MlirStringCallback that appends to a text.
static inline void text_append(MlirStringRef part, void* into) {
  text* t = into;
  char* data = grow(t->data, &t->capacity, t->length + part.length, 1);
  if (!data) {
    t->failed = true;
    return;
  }
  t->data = data;
  memcpy(data + t->length, part.data, part.length);
  t->length += part.length;
}

#endif
