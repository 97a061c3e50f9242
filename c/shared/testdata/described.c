// Compiles a module for a GPU that is described, and not there, with callbacks of the library.
//
//	described PLUGIN DESCRIPTION MODULE    a PJRT plugin for CUDA, a GpuTargetConfigProto as text, StableHLO

#include <calliope.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../internal/run/pjrt/pjrt_abi.h"

// What pjrt_abi.h does not have, because only this program uses it.
enum { PLUGIN_INITIALIZE = 3, TOPOLOGY_CREATE = 82, COMPILE_FOR = 89 };

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
} initialize_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* name;
  size_t name_size;
  int type;
  const char* value;
  size_t value_size;
} option;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const char* name;
  size_t name_size;
  const option* options;
  size_t num_options;
  void* topology;  // out
} topology_args;

typedef struct {
  size_t struct_size;
  pjrt_extension* extensions;
  const void* topology;
  const pjrt_program* program;
  const char* options;
  size_t options_size;
  void* client;
  void* executable;  // out
} compile_for_args;

static const pjrt_api* api;

static void must(const char* what, pjrt_error* error) {
  if (error == NULL) return;
  pjrt_error_message_args m = {.struct_size = sizeof m, .error = error};
  ((void (*)(void*))api->functions[PJRT_FN_ERROR_MESSAGE])(&m);
  fprintf(stderr, "%s: %.*s\n", what, (int)m.message_size, m.message);
  exit(1);
}

static void must_be(calliope_status status) {
  if (status == CALLIOPE_OK) return;
  fprintf(stderr, "error %d: %s\n", status, calliope_error_message());
  exit(1);
}

static char* read_file(const char* path) {
  static char data[2][1 << 16];
  static int n;
  FILE* f = fopen(path, "rb");
  if (f == NULL) exit(2);
  size_t size = fread(data[n], 1, sizeof data[n] - 1, f);
  data[n][size] = 0;
  fclose(f);
  return data[n++];
}

static calliope_status nothing(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  return CALLIOPE_OK;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = ((const pjrt_api* (*)(void))dlsym(plugin, "GetPjrtApi"))();
  initialize_args initialize = {.struct_size = sizeof initialize};
  must("initialize", CALL(api, PLUGIN_INITIALIZE, &initialize));
  must_be(calliope_register_pjrt((const struct PJRT_Api*)api));
  must_be(calliope_register("f", nothing, NULL, NULL));

  char* description = read_file(argv[2]);
  const option options[] = {
      {sizeof *options, NULL, "target_config", strlen("target_config"), 0, description, strlen(description)},
      {sizeof *options, NULL, "topology", strlen("topology"), 0, "1x1x1", strlen("1x1x1")}};
  topology_args topology = {.struct_size = sizeof topology, .name = "", .options = options, .num_options = 2};
  must("describe", CALL(api, TOPOLOGY_CREATE, &topology));

  char* text = read_file(argv[3]);
  pjrt_program program = {
      .struct_size = sizeof program, .code = text, .code_size = strlen(text), .format = "mlir", .format_size = 4};
  static const char one_device[] = "\x1a\x04\x20\x01\x28\x01";  // num_replicas and num_partitions are 1
  compile_for_args compile = {.struct_size = sizeof compile, .topology = topology.topology, .program = &program,
                              .options = one_device, .options_size = sizeof one_device - 1};
  must("compile", CALL(api, COMPILE_FOR, &compile));
  printf("compiled\n");
  return 0;
}
