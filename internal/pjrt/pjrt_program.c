#include "pjrt_program.h"

#include <stdlib.h>

#include "pjrt_error.h"

static __thread void* last;
static __thread void* last_loaded;

pjrt_error* calliope_get_executable(const pjrt_api* api, pjrt_get_executable_args* args) {
  pjrt_error* error = CALL(api, PJRT_FN_GET_EXECUTABLE, args);
  last = error == NULL ? args->executable : NULL;
  last_loaded = error == NULL ? args->loaded_executable : NULL;
  return error;
}

void* calliope_last_loaded(void) {
  void* loaded = last_loaded;
  last_loaded = NULL;
  return loaded;
}

static int failed(const pjrt_api* api, pjrt_error* error) {
  if (error != NULL) calliope_error_destroy(api, error);
  return error != NULL;
}

char* calliope_pjrt_program(const pjrt_api* api, size_t* size) {
  pjrt_program program = {.struct_size = sizeof program};
  pjrt_optimized_program_args args = {.struct_size = sizeof args, .executable = last, .program = &program};
  last = NULL;
  // The first call says how much room the second one needs.
  if (args.executable == NULL || failed(api, CALL(api, PJRT_FN_OPTIMIZED_PROGRAM, &args))) return NULL;
  program.code = malloc(program.code_size);
  if (program.code == NULL) return NULL;
  if (failed(api, CALL(api, PJRT_FN_OPTIMIZED_PROGRAM, &args))) {
    free(program.code);
    return NULL;
  }
  *size = program.code_size;
  return program.code;
}
