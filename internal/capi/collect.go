package capi

/*
#include <stdlib.h>
#include <string.h>
#include "gen_mlir_api.h"

typedef struct {
  char* data;
  size_t length, capacity;
  bool failed;
} text;

static void text_append(MlirStringRef part, void* into) {
  text* t = into;
  if (t->length + part.length > t->capacity) {
    size_t capacity = 2 * t->capacity + part.length + 256;
    char* data = realloc(t->data, capacity);
    if (data == NULL) {
      t->failed = true;
      return;
    }
    t->data = data;
    t->capacity = capacity;
  }
  memcpy(t->data + t->length, part.data, part.length);
  t->length += part.length;
}

static MlirStringCallback text_callback(void) { return text_append; }
*/
import "C"

import "unsafe"

// Collect runs a function of the API that reports text through a callback, and
// returns the text. The pieces are put together in C, because printing a module
// calls back once for each token.
func Collect(report func(callback MlirStringCallback, userData unsafe.Pointer)) []byte {
	t := (*C.text)(C.calloc(1, C.sizeof_text))
	defer func() {
		C.free(unsafe.Pointer(t.data))
		C.free(unsafe.Pointer(t))
	}()
	report(MlirStringCallback(unsafe.Pointer(C.text_callback())), unsafe.Pointer(t))
	if t.failed {
		panic("capi: out of memory while collecting text")
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(t.data)), int(t.length))...)
}
