// A client of PJRT: it runs a program on the plugin that it is given.
//
//   client PLUGIN

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pjrt_c_api.h"

#include "extension.h"

static const PJRT_Api *api;

// must ends the program at an error.
static void must(PJRT_Error *error) {
  if (error == NULL) return;
  PJRT_Error_Message_Args message = {.struct_size = sizeof message, .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "%.*s\n", (int)message.message_size, message.message);
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof destroy, .error = error};
  api->PJRT_Error_Destroy(&destroy);
  exit(1);
}

int main(int argc, char **argv) {
  const char *text = argc > 2 ? argv[2] :
      "func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %x, %y : tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}\n";
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api *(*get)(void) = library ? (const PJRT_Api *(*)(void))dlsym(library, "GetPjrtApi") : NULL;
  if (get == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  api = get();

  PJRT_ExecuteContext *context = register_multiply(api, must);
  PJRT_Client_Create_Args create = {.struct_size = sizeof create};
  must(api->PJRT_Client_Create(&create));
  PJRT_Client_AddressableDevices_Args devices = {.struct_size = sizeof devices, .client = create.client};
  must(api->PJRT_Client_AddressableDevices(&devices));

  PJRT_Program program = {.struct_size = sizeof program, .code = (char *)text, .code_size = strlen(text),
      .format = "mlir", .format_size = 4};
  PJRT_Client_Compile_Args compile = {.struct_size = sizeof compile, .client = create.client, .program = &program,
      .compile_options = "", .compile_options_size = 0};
  must(api->PJRT_Client_Compile(&compile));

  float data[2][2] = {{1, 2}, {3, 4}}, result[2];
  int64_t dims[1] = {2};
  PJRT_Buffer *in[2], *out[1];
  for (int i = 0; i < 2; i++) {
    PJRT_Client_BufferFromHostBuffer_Args buffer = {.struct_size = sizeof buffer, .client = create.client,
        .data = data[i], .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1, .device = devices.addressable_devices[0]};
    must(api->PJRT_Client_BufferFromHostBuffer(&buffer));
    PJRT_Event_Destroy_Args done = {.struct_size = sizeof done, .event = buffer.done_with_host_buffer};
    must(api->PJRT_Event_Destroy(&done));
    in[i] = buffer.buffer;
  }

  PJRT_ExecuteOptions options = {.struct_size = sizeof options, .context = context};
  PJRT_Buffer *const *arguments[1] = {in};
  PJRT_Buffer **results[1] = {out};
  PJRT_LoadedExecutable_Execute_Args execute = {.struct_size = sizeof execute, .executable = compile.executable,
      .options = &options, .argument_lists = arguments, .num_devices = 1, .num_args = 2, .output_lists = results};
  must(api->PJRT_LoadedExecutable_Execute(&execute));

  PJRT_Buffer_ToHostBuffer_Args copy = {.struct_size = sizeof copy, .src = out[0], .dst = result, .dst_size = sizeof result};
  must(api->PJRT_Buffer_ToHostBuffer(&copy));
  PJRT_Event_Await_Args await = {.struct_size = sizeof await, .event = copy.event};
  must(api->PJRT_Event_Await(&await));
  printf("%g %g\n", result[0], result[1]);

  PJRT_Event_Destroy_Args over = {.struct_size = sizeof over, .event = copy.event};
  must(api->PJRT_Event_Destroy(&over));
  for (int i = 0; i < 3; i++) {
    PJRT_Buffer_Destroy_Args free_buffer = {.struct_size = sizeof free_buffer, .buffer = i < 2 ? in[i] : out[0]};
    must(api->PJRT_Buffer_Destroy(&free_buffer));
  }
  PJRT_LoadedExecutable_Destroy_Args unload = {.struct_size = sizeof unload, .executable = compile.executable};
  must(api->PJRT_LoadedExecutable_Destroy(&unload));
  PJRT_ExecuteContext_Destroy_Args end = {.struct_size = sizeof end, .context = context};
  must(api->PJRT_ExecuteContext_Destroy(&end));
  PJRT_Client_Destroy_Args destroy = {.struct_size = sizeof destroy, .client = create.client};
  must(api->PJRT_Client_Destroy(&destroy));
  return 0;
}
