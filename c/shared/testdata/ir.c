// What the library does with a host's modules: preflight, legacy custom calls, policies.
//
//	ir    linked with a library that has MLIR and StableHLO, whose path is the first argument

#include <calliope_custom_call.h>

#include "fake.h"

// The part of MLIR's C API that the program needs (mlir-c/IR.h).
typedef struct {
  void* ptr;
} handle;
typedef struct {
  const char* data;
  size_t length;
} string;
handle mlirContextCreate(void);
void mlirContextDestroy(handle);
handle mlirGetDialectHandle__func__(void);
handle mlirGetDialectHandle__stablehlo__(void);
handle mlirDialectHandleLoadDialect(handle, handle);
handle mlirModuleCreateParse(handle, string);
void mlirModuleDestroy(handle);
handle mlirModuleGetBody(handle);
handle mlirModuleGetOperation(handle);
handle mlirBlockGetFirstOperation(handle);
handle mlirOperationGetRegion(handle, intptr_t);
handle mlirRegionGetFirstBlock(handle);
handle mlirBlockGetArgument(handle, intptr_t);
void mlirOperationPrint(handle, void (*)(string, void*), void*);

static handle context;
static int64_t library;

static handle parse(const char* text) {
  handle m = mlirModuleCreateParse(context, (string){text, strlen(text)});
  if (m.ptr == NULL) exit(1);
  return m;
}

static void show(const char* what, calliope_status status) {
  printf("%s: %d%s%s\n", what, status, status == CALLIOPE_OK ? "" : ": ", status == CALLIOPE_OK ? "" : calliope_error_message());
}

static void write_part(string part, void* to) {
  (void)to;
  fwrite(part.data, 1, part.length, stdout);
}

static void print(handle m) { mlirOperationPrint(mlirModuleGetOperation(m), write_part, NULL); }

static calliope_status nothing(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  return CALLIOPE_OK;
}

static void preflight(void) {
  handle m = parse(
      "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %y = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, has_side_effect = true,\n"
      "    backend_config = {v = 1 : i64, form = \"call\", callback = \"scale\"}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %z = stablehlo.custom_call @of_the_host(%y) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %w = stablehlo.custom_call @own_name(%z) {api_version = 4 : i32, has_side_effect = true,\n"
      "    backend_config = {v = 1 : i64, form = \"call\", callback = \"scale\"}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %y, %w : tensor<4xf32>, tensor<4xf32>\n"
      "}\n");
  show("preflight: nothing is registered", calliope_preflight(library, context.ptr, m.ptr, NULL));

  const char* targets[] = {"of_the_host"};
  const calliope_preflight_options host = {.struct_size = sizeof host, .targets = targets, .num_targets = 1};
  calliope_handler handler;
  must(calliope_get_handler("own_name", CALLIOPE_STAGE_EXECUTE, &handler));
  const int64_t dims[] = {5};
  const calliope_type type = {.dims = dims, .rank = 1, .dtype = CALLIOPE_F32};
  const calliope_options o = {.struct_size = sizeof o, .has_template = 1, .args = &type, .num_args = 1, .results = &type, .num_results = 1};
  must(calliope_register("scale", nothing, NULL, &o));
  show("preflight: other types", calliope_preflight(library, context.ptr, m.ptr, &host));
  must(calliope_unregister(NULL, "scale"));
  must(calliope_register("scale", nothing, NULL, NULL));
  show("preflight", calliope_preflight(library, context.ptr, m.ptr, &host));
  calliope_preflight_options shared = host;
  shared.partitions = 2;
  show("preflight: two devices share the module", calliope_preflight(library, context.ptr, m.ptr, &shared));
  must(calliope_unregister(NULL, "scale"));
  mlirModuleDestroy(m);

  m = parse(
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %t = stablehlo.create_token : !stablehlo.token\n"
      "  %u = \"stablehlo.outfeed\"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token\n"
      "  %a = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %b = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %c = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%b) {api_version = 4 : i32, backend_config = {}} : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %c : tensor<4xf32>\n"
      "}\n");
  show("preflight: what others serve", calliope_preflight(library, context.ptr, m.ptr, NULL));
  mlirModuleDestroy(m);
}

// The functions add one, in each form.
static void host(void* out, const void** in) { *(float*)out = *(const float*)in[0] + 1; }
static void host_status(void* out, const void** in, XlaCustomCallStatus* status) {
  host(out, in);
  if (*(float*)out < 0) XlaCustomCallStatusSetFailure(status, "it is negative", 14);
}
static void host_opaque(void* out, const void** in, const char* opaque, size_t size, XlaCustomCallStatus* status) {
  host_status(out, in, status);
  printf("  opaque: %.*s\n", (int)size, opaque);
}
static void gpu(CUstream stream, void** buffers, const char* opaque, size_t size) {
  (void)stream, (void)opaque, (void)size;
  *(float*)buffers[1] = *(const float*)buffers[0] + 1;
}
static void gpu_status(CUstream stream, void** buffers, const char* opaque, size_t size, XlaCustomCallStatus* status) {
  gpu(stream, buffers, opaque, size);
  if (*(float*)buffers[1] < 0) XlaCustomCallStatusSetFailure(status, "it is negative", 14);
}

static void legacy(void) {
  static const struct {
    const char* name;
    void (*function)(void);
    calliope_legacy_form form;
    int version;
  } functions[] = {{"host", (void (*)(void))host, CALLIOPE_LEGACY_HOST, 1},
                   {"host_status", (void (*)(void))host_status, CALLIOPE_LEGACY_HOST_STATUS, 2},
                   {"host_opaque", (void (*)(void))host_opaque, CALLIOPE_LEGACY_HOST_OPAQUE, 3},
                   {"gpu", (void (*)(void))gpu, CALLIOPE_LEGACY_GPU, 1},
                   {"gpu_status", (void (*)(void))gpu_status, CALLIOPE_LEGACY_GPU_STATUS, 3}};
  show("register_legacy: target NULL", calliope_register_legacy(NULL, functions[0].function, CALLIOPE_LEGACY_HOST));
  show("register_legacy: target not UTF-8", calliope_register_legacy("\xff", functions[0].function, CALLIOPE_LEGACY_HOST));
  show("register_legacy: function NULL", calliope_register_legacy("f", NULL, CALLIOPE_LEGACY_HOST));
  show("register_legacy: form 0", calliope_register_legacy("f", functions[0].function, 0));
  show("register_legacy: form -1", calliope_register_legacy("f", functions[0].function, -1));

  char text[4096] = "func.func @main(%x: tensor<f32>) {\n";
  for (int i = 0; i < 5; i++) {
    char call[256];
    snprintf(call, sizeof call,
             "  %%y%d = stablehlo.custom_call @%s(%%x) {api_version = %d : i32, has_side_effect = true, backend_config = \"a b\"} : "
             "(tensor<f32>) -> tensor<f32>\n",
             i, functions[i].name, functions[i].version);
    strcat(text, call);
  }
  handle m = parse(strcat(text, "  return\n}\n"));
  show("preflight: legacy calls", calliope_preflight(library, context.ptr, m.ptr, NULL));
  show("replace_legacy", calliope_replace_legacy(library, context.ptr, m.ptr));
  show("replace_legacy: again", calliope_replace_legacy(library, context.ptr, m.ptr));
  print(m);
  for (int i = 0; i < 5; i++) must(calliope_register_legacy(functions[i].name, functions[i].function, functions[i].form));
  show("register_legacy: twice", calliope_register_legacy("host", functions[0].function, CALLIOPE_LEGACY_HOST));
  show("registry_close: the legacy one", calliope_registry_close(CALLIOPE_REGISTRY_LEGACY));
  show("preflight: legacy calls that were replaced", calliope_preflight(library, context.ptr, m.ptr, NULL));
  mlirModuleDestroy(m);

  for (int i = 0; i < 5; i++) {
    const fake_attr attrs[] = {{CALLIOPE_KEY_CALLBACK, functions[i].name, 0},
                               {CALLIOPE_KEY_FORM, CALLIOPE_FORM_CALL, 0},
                               {CALLIOPE_KEY_REGISTRY, CALLIOPE_REGISTRY_LEGACY, 0},
                               {CALLIOPE_KEY_LEGACY, NULL, functions[i].version},
                               {CALLIOPE_KEY_LEGACY_OPAQUE, "612062", 0},
                               {CALLIOPE_KEY_VERSION, NULL, 2}};
    fake_site site;
    char* error = fake_instantiate(&site, CALLIOPE_TARGET_RUNTIME_CALL, attrs, 6);
    fake_show(functions[i].name, error);
    float y = 0;
    for (float x = 1; x > -4; x -= 3) {
      fake_show("  called", fake_call(&site, 1, &x, &y, 1));
      printf("  %g\n", y);
    }
    fake_free(&site);
    must(calliope_unregister(CALLIOPE_REGISTRY_LEGACY, functions[i].name));
  }

  m = parse(
      "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
      "  %y = stablehlo.custom_call @columns(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>],\n"
      "    result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "  return %y : tensor<2x2xf32>\n"
      "}\n");
  show("replace_legacy: another layout", calliope_replace_legacy(library, context.ptr, m.ptr));
  mlirModuleDestroy(m);
}

// One of two replicas calls.
static void policies(void) {
  handle m = parse(
      "module attributes {mhlo.num_replicas = 2 : i32} {\n"
      "func.func @main(%x: tensor<4xf32>) {\n"
      "  return\n"
      "}\n"
      "}\n");
  handle block = mlirRegionGetFirstBlock(mlirOperationGetRegion(mlirBlockGetFirstOperation(mlirModuleGetBody(m)), 0));
  void* x = mlirBlockGetArgument(block, 0).ptr;
  calliope_operation d = {.struct_size = sizeof d, .form = CALLIOPE_FORM_OBSERVE, .callback = "show", .policy = "twice"};
  show("append: unknown policy", calliope_append(library, context.ptr, m.ptr, block.ptr, NULL, &d, 1, &x, 0, NULL, NULL));
  d.policy = CALLIOPE_POLICY_ONCE;
  must(calliope_append(library, context.ptr, m.ptr, block.ptr, NULL, &d, 1, &x, 0, NULL, NULL));
  show("prepare: once", calliope_prepare(library, context.ptr, m.ptr));
  print(m);
  mlirModuleDestroy(m);

  m = parse("func.func @main(%x: tensor<4xf32>) { return }\n");
  block = mlirRegionGetFirstBlock(mlirOperationGetRegion(mlirBlockGetFirstOperation(mlirModuleGetBody(m)), 0));
  x = mlirBlockGetArgument(block, 0).ptr;
  d.policy = CALLIOPE_POLICY_GATHER;
  must(calliope_append(library, context.ptr, m.ptr, block.ptr, NULL, &d, 1, &x, 0, NULL, NULL));
  show("prepare: gather without a mesh", calliope_prepare(library, context.ptr, m.ptr));
  mlirModuleDestroy(m);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  fake_open(5);
  context = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__stablehlo__(), context);
  must(calliope_mlir_open(argv[1], &library));
  preflight();
  legacy();
  policies();
  mlirContextDestroy(context);
  return 0;
}
