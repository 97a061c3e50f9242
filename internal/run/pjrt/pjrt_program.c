#include "pjrt_program.h"

#include <stdlib.h>
#include <string.h>

#include "pjrt_error.h"

static __thread void* last;
static __thread void* last_loaded;
static __thread const char* added;
static __thread size_t added_size;
static __thread int load_next;

void calliope_add_options(const char* options, size_t size) {
  added = options;
  added_size = size;
}

void calliope_load_next(int on) { load_next = on; }

static pjrt_error* load(const pjrt_api* api, pjrt_compile_args* args) {
  const pjrt_program* program = args->program;
  pjrt_deserialize_args load = {
      .struct_size = sizeof load, .client = args->client, .data = program->code, .size = program->code_size};
  pjrt_error* error = CALL(api, PJRT_FN_DESERIALIZE, &load);
  args->executable = error == NULL ? load.loaded_executable : NULL;
  return error;
}

pjrt_error* calliope_compile(const pjrt_api* api, pjrt_compile_args* args) {
  if (load_next) {
    load_next = 0;
    return load(api, args);
  }
  const char* options = args->options;
  size_t size = args->options_size;
  const char* more = added;
  added = NULL;
  if (more == NULL) return CALL(api, PJRT_FN_COMPILE, args);
  // Messages that are put together are merged: repeated fields and maps get the entries of both.
  char* both = malloc(size + added_size);
  if (both == NULL) abort();
  if (size > 0) memcpy(both, options, size);
  memcpy(both + size, more, added_size);
  args->options = both;
  args->options_size = size + added_size;
  pjrt_error* error = CALL(api, PJRT_FN_COMPILE, args);
  args->options = options;
  args->options_size = size;
  free(both);
  return error;
}

pjrt_error* calliope_get_executable(const pjrt_api* api, pjrt_get_executable_args* args) {
  pjrt_error* error = CALL(api, PJRT_FN_GET_EXECUTABLE, args);
  last = error == NULL ? args->executable : NULL;
  last_loaded = error == NULL ? args->loaded_executable : NULL;
  return error;
}

void* calliope_last_loaded(void) {
  void* loaded = last_loaded;
  last = NULL;  // it may be freed before calliope_pjrt_program is called
  last_loaded = NULL;
  return loaded;
}

static int failed(const pjrt_api* api, pjrt_error* error) {
  if (error != NULL) calliope_error_destroy(api, error);
  return error != NULL;
}

calliope_serialized calliope_serialize(const pjrt_api* api, void* loaded_executable) {
  pjrt_get_executable_args get = {.struct_size = sizeof get, .loaded_executable = loaded_executable};
  pjrt_error* error = CALL(api, PJRT_FN_GET_EXECUTABLE, &get);
  if (error != NULL) return (calliope_serialized){.error = error};
  pjrt_serialize_args args = {.struct_size = sizeof args, .executable = get.executable};
  error = CALL(api, PJRT_FN_SERIALIZE, &args);
  pjrt_executable_args destroy = {.struct_size = sizeof destroy, .executable = get.executable};
  failed(api, CALL(api, PJRT_FN_EXECUTABLE_DESTROY, &destroy));
  if (error != NULL) return (calliope_serialized){.error = error};
  return (calliope_serialized){.data = args.data, .size = args.size, .owner = args.owner, .deleter = args.deleter};
}

calliope_memory calliope_executable_memory(const pjrt_api* api, void* loaded_executable) {
  pjrt_get_executable_args get = {.struct_size = sizeof get, .loaded_executable = loaded_executable};
  pjrt_error* error = CALL(api, PJRT_FN_GET_EXECUTABLE, &get);
  if (error != NULL) return (calliope_memory){.error = error};
  pjrt_memory_stats_args args = {.struct_size = sizeof args, .executable = get.executable};
  error = CALL(api, PJRT_FN_MEMORY_STATS, &args);
  pjrt_executable_args destroy = {.struct_size = sizeof destroy, .executable = get.executable};
  failed(api, CALL(api, PJRT_FN_EXECUTABLE_DESTROY, &destroy));
  return (calliope_memory){.error = error, .device = args.device, .host = args.host};
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
