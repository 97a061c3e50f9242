#include "dl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// dlopen and dlerror stand in one function because the message is kept per
// thread, and a goroutine may change threads between two calls into C.
void* calliope_dlopen(const char* path, char** error) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char* message = dlerror();
    *error = strdup(message ? message : "unknown error");
  }
  return library;
}

void* calliope_dlsym(void* library, const char* name) { return dlsym(library, name); }
