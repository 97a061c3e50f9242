// A host in C, with no compiler of its own: it registers a callback and Calliope's handlers with
// a PJRT plugin.
//
//	go run ./examples/embed c
//
// What a host in any language does is in main.

#include <calliope.h>
#include <stdio.h>
#include <stdlib.h>

#include "pjrt.h"

static void check(calliope_status status) {
  if (status == CALLIOPE_OK) return;
  fprintf(stderr, "error %d: %s\n", status, calliope_error_message());
  exit(1);
}

// The callback: y[i] = x[i] * scale.
static calliope_status scale(void* user_data, calliope_call* call) {
  const float* x = call->args[0].data;
  float* y = call->results[0].data;
  for (size_t i = 0; i < call->args[0].size / sizeof *x; i++) y[i] = x[i] * *(const float*)user_data;
  return CALLIOPE_OK;
}

static const char module[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %y = stablehlo.custom_call @" CALLIOPE_TARGET_RUNTIME_CALL "(%x) {\n"
    "    api_version = 4 : i32, has_side_effect = true,\n"
    "    backend_config = {v = 1 : i64, form = \"call\", callback = \"scale\"}\n"
    "  } : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const struct PJRT_Api* api = load_plugin(argv[1]);
  check(calliope_register_pjrt(api));

  float factor = 10;
  const int64_t dims[] = {4};
  const calliope_type vector = {.dims = dims, .rank = 1, .dtype = CALLIOPE_F32};
  const calliope_options options = {.struct_size = sizeof options,
                                    .has_template = 1,
                                    .args = &vector,
                                    .num_args = 1,
                                    .results = &vector,
                                    .num_results = 1};
  check(calliope_register("scale", scale, &factor, &options));

  float x[] = {1, 2, 3, 4}, y[4];
  run(api, module, sizeof module - 1, x, y, 4);
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  check(calliope_unregister(NULL, "scale"));
  return 0;
}
