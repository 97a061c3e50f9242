// A PJRT plugin without the FFI extension: the plugin that the environment variable
// HIDDEN_PLUGIN names, with the extension taken out of its table.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct extension {
  size_t struct_size;
  int32_t type;
  struct extension* next;
} extension;

typedef struct {
  size_t struct_size;
  extension* extensions;
} table;

enum { FFI = 5 };

const void* GetPjrtApi(void) {
  static table* copy;
  if (copy != NULL) return copy;
  void* library = dlopen(getenv("HIDDEN_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  const table* (*get)(void);
  *(void**)&get = dlsym(library, "GetPjrtApi");
  const table* original = get();
  copy = malloc(original->struct_size);
  memcpy(copy, original, original->struct_size);
  extension** end = &copy->extensions;
  *end = NULL;
  for (const extension* e = original->extensions; e != NULL; e = e->next) {
    if (e->type == FFI) continue;
    extension* kept = malloc(e->struct_size);
    memcpy(kept, e, e->struct_size);
    kept->next = NULL;
    *end = kept;
    end = &kept->next;
  }
  return copy;
}
