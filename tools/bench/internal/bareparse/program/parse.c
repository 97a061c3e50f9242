// Parses and verifies MLIR files with the C API alone, as the floor of mlir-lint:
//
//   parse LIBRARY [FILE…]
//
// Each file gets a context of its own. Without files it opens the library, makes a context and
// ends. It exits with 1 if a file is invalid.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  void* ptr;
} handle;  // MlirContext, MlirModule, MlirDialect, MlirDialectHandle
typedef struct {
  const char* data;
  size_t length;
} string_ref;

static void* library;

static void* find(const char* name) {
  void* f = dlsym(library, name);
  if (f == NULL) {
    fprintf(stderr, "the library has no %s\n", name);
    exit(2);
  }
  return f;
}

static char* read_file(const char* path, size_t* size) {
  FILE* f = fopen(path, "rb");
  if (f == NULL) return NULL;
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  char* data = malloc(*size + 1);
  if (data == NULL || fread(data, 1, *size, f) != *size) return NULL;
  data[*size] = 0;
  fclose(f);
  return data;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  handle (*context_create)(bool) = (handle(*)(bool))find("mlirContextCreateWithThreading");
  void (*context_destroy)(handle) = (void (*)(handle))find("mlirContextDestroy");
  handle (*func)(void) = (handle(*)(void))find("mlirGetDialectHandle__func__");
  handle (*stablehlo)(void) = (handle(*)(void))find("mlirGetDialectHandle__stablehlo__");
  handle (*load)(handle, handle) = (handle(*)(handle, handle))find("mlirDialectHandleLoadDialect");
  handle (*parse)(handle, string_ref) = (handle(*)(handle, string_ref))find("mlirModuleCreateParse");
  void (*destroy)(handle) = (void (*)(handle))find("mlirModuleDestroy");
  for (int i = argc == 2 ? 1 : 2; i < argc; i++) {
    handle context = context_create(false);
    load(func(), context);
    load(stablehlo(), context);
    if (argc > 2) {
      size_t size;
      char* data = read_file(argv[i], &size);
      if (data == NULL) return 2;
      handle module = parse(context, (string_ref){data, size});  // verifies it
      if (module.ptr == NULL) return 1;
      destroy(module);
      free(data);
    }
    context_destroy(context);
  }
  return 0;
}
