// Calls every function of the library with wrong arguments, and prints what it answers.
//
//	misuse FOLDER MLIR    FOLDER has a file damaged.so, MLIR is an MLIR library

#include <calliope.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char* what, calliope_status status) {
  printf("%s: %d%s%s\n", what, status, status == CALLIOPE_OK ? "" : ": ", status == CALLIOPE_OK ? "" : calliope_error_message());
}

static calliope_status nothing(void* user_data, calliope_call* call) {
  (void)user_data, (void)call;
  return CALLIOPE_OK;
}

static calliope_options base(void) {
  calliope_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = sizeof o;
  return o;
}

static void options(const char* what, calliope_options o) { show(what, calliope_register("options", nothing, NULL, &o)); }

static void registering(void) {
  show("register: name NULL", calliope_register(NULL, nothing, NULL, NULL));
  show("register: name empty", calliope_register("", nothing, NULL, NULL));
  show("register: name not UTF-8", calliope_register("a\xff", nothing, NULL, NULL));
  show("register: function NULL", calliope_register("f", NULL, NULL, NULL));
  show("register: once", calliope_register("f", nothing, NULL, NULL));
  show("register: twice", calliope_register("f", nothing, NULL, NULL));
  show("unregister: once", calliope_unregister(NULL, "f"));
  show("unregister: twice", calliope_unregister("", "f"));
  show("unregister: name NULL", calliope_unregister(NULL, NULL));
  show("unregister: name empty", calliope_unregister(NULL, ""));
  show("unregister: name not UTF-8", calliope_unregister(NULL, "\xff"));
  show("unregister: unknown registry", calliope_unregister("none", "f"));
  show("unregister: registry not UTF-8", calliope_unregister("\xff", "f"));

  int64_t id = 0;
  show("register_id: id NULL", calliope_register_id(nothing, NULL, NULL, NULL));
  show("register_id: function NULL", calliope_register_id(NULL, NULL, NULL, &id));
  show("register_id: user_data is no address", calliope_register_id(nothing, (void*)1, NULL, &id));
  printf("the first id is %lld\n", (long long)id);
  show("unregister_id: once", calliope_unregister_id(NULL, id));
  show("unregister_id: twice", calliope_unregister_id(NULL, id));
  show("unregister_id: 0", calliope_unregister_id(NULL, 0));
  show("unregister_id: negative", calliope_unregister_id(NULL, INT64_MIN));
  show("unregister_id: never returned", calliope_unregister_id(NULL, INT64_MAX));
  show("unregister_id: unknown registry", calliope_unregister_id("none", id));
}

static void option(void) {
  const int64_t dims[] = {2, -1};
  const calliope_type types[] = {{.dims = dims, .rank = 2, .dtype = CALLIOPE_F32}};
  calliope_options o;
  o = base(), o.struct_size = 0;
  options("options: struct_size 0", o);
  o = base(), o.struct_size = sizeof o + 8;
  options("options: struct_size too large", o);
  o = base(), o.registry = "none";
  options("options: unknown registry", o);
  o = base(), o.dispatch = -1;
  options("options: dispatch -1", o);
  o = base(), o.dispatch = 4;
  options("options: dispatch 4", o);
  o = base(), o.dispatch = CALLIOPE_ASYNC, o.fail_run = 1;
  options("options: async and fail_run", o);
  o = base(), o.keep_errors = 1, o.fail_run = 1;
  options("options: keep_errors and fail_run", o);
  o = base(), o.timeout_ns = -1;
  options("options: timeout_ns -1", o);
  o = base(), o.per_second = INT64_MIN;
  options("options: per_second negative", o);
  o = base(), o.num_args = 1;
  options("options: num_args without has_template", o);
  o = base(), o.has_template = 1, o.num_args = 1;
  options("options: args NULL", o);
  o = base(), o.has_template = 1, o.num_results = 1;
  options("options: results NULL", o);
  o = base(), o.has_template = 1, o.num_args = SIZE_MAX, o.args = types;
  options("options: num_args huge", o);
  o = base(), o.has_template = 1, o.num_args = 1, o.args = types;
  options("options: dims negative", o);
  const calliope_type wrong[] = {
      {.dims = NULL, .rank = 1, .dtype = CALLIOPE_F32}, {.dims = dims, .rank = -1, .dtype = CALLIOPE_F32},
      {.dims = dims, .rank = INT32_MAX, .dtype = CALLIOPE_F32}, {.dims = dims, .rank = 1, .dtype = 0},
      {.dims = dims, .rank = 1, .dtype = INT32_MIN}};
  const char* names[] = {"dims NULL", "rank negative", "rank huge", "dtype 0", "dtype negative"};
  for (int i = 0; i < 5; i++) {
    char what[64];
    snprintf(what, sizeof what, "options: %s", names[i]);
    o = base(), o.has_template = 1, o.num_results = 1, o.results = &wrong[i];
    options(what, o);
  }
}

static void registries(void) {
  calliope_registry_options o;
  memset(&o, 0, sizeof o);
  show("registry_open: struct_size 0", calliope_registry_open("r", &o));
  o.struct_size = sizeof o;
  o.workers = -1;
  show("registry_open: workers -1", calliope_registry_open("r", &o));
  o.workers = 0, o.lost_limit = -1;
  show("registry_open: lost_limit -1", calliope_registry_open("r", &o));
  o.lost_limit = 0, o.timeout_ns = -1;
  show("registry_open: timeout_ns -1", calliope_registry_open("r", &o));
  o.timeout_ns = 0, o.queue_bytes = -1;
  show("registry_open: queue_bytes -1", calliope_registry_open(NULL, &o));
  o.queue_bytes = 0;
  show("registry_open: not UTF-8", calliope_registry_open("\xff", &o));
  show("registry_open: once", calliope_registry_open("r", &o));
  show("registry_open: twice", calliope_registry_open("r", NULL));
  show("registry_open: the default one", calliope_registry_open(NULL, &o));

  int64_t id = 0;
  calliope_options in = base();
  in.registry = "r";
  show("register_id in a registry", calliope_register_id(nothing, NULL, &in, &id));
  show("unregister_id: an id of another registry", calliope_unregister_id(NULL, id));
  show("registry_close: once", calliope_registry_close("r"));
  show("registry_close: twice", calliope_registry_close("r"));
  show("registry_close: the default one", calliope_registry_close(NULL));
  show("unregister_id: a closed registry", calliope_unregister_id("r", id));
  show("barrier: negative", calliope_barrier(NULL, INT64_MIN));
  show("barrier: name not UTF-8", calliope_barrier("\xff", 0));
  show("barrier: nothing runs", calliope_barrier("end", 1));
  show("stats: json NULL", calliope_stats(NULL));
}

static void memory(void) {
  char* json = NULL;
  int on_stack = 0;
  show("stats", calliope_stats(&json));
  printf("json: %s\n", json);
  show("free: inside of a block", calliope_free(json + 1));
  show("free: once", calliope_free(json));
  show("free: twice", calliope_free(json));
  show("free: NULL", calliope_free(NULL));
  show("free: the stack", calliope_free(&on_stack));
  show("free: no address", calliope_free((void*)1));
  show("free: the last address", calliope_free((void*)UINTPTR_MAX));
  void* own = malloc(8);
  show("free: malloc'ed memory", calliope_free(own));
  free(own);
}

static void handlers(void) {
  calliope_handler h;
  show("get_handler: target NULL", calliope_get_handler(NULL, CALLIOPE_STAGE_EXECUTE, &h));
  show("get_handler: handler NULL", calliope_get_handler(CALLIOPE_TARGET_IO_CALLBACK, CALLIOPE_STAGE_EXECUTE, NULL));
  show("get_handler: target empty", calliope_get_handler("", CALLIOPE_STAGE_EXECUTE, &h));
  show("get_handler: target not UTF-8", calliope_get_handler("\xff", CALLIOPE_STAGE_EXECUTE, &h));
  show("get_handler: stage 1", calliope_get_handler(CALLIOPE_TARGET_IO_CALLBACK, 1, &h));
  show("register_pjrt: NULL", calliope_register_pjrt(NULL));
  static char zeros[4096];
  show("register_pjrt: a table of zeros", calliope_register_pjrt((const struct PJRT_Api*)zeros));
  calliope_fail(NULL, "x", 1);
  printf("stopped: NULL: %d\n", calliope_stopped(NULL));
}

static void ir(const char* folder, const char* mlir) {
  int64_t library = 0;
  char damaged[4096];
  snprintf(damaged, sizeof damaged, "%s/damaged.so", folder);
  show("mlir_open: library NULL", calliope_mlir_open(mlir, NULL));
  show("mlir_open: no file", calliope_mlir_open("/nowhere/libMLIR.so", &library));
  static char endless[100 * 1000 * 1000];
  memset(endless, 'a', sizeof endless - 1);
  show("mlir_open: a path of 100 MB", calliope_mlir_open(endless, &library));
  show("mlir_open: a damaged file", calliope_mlir_open(damaged, &library));
  show("mlir_open: another library", calliope_mlir_open("libm.so.6", &library));
  show("mlir_open: the process has no MLIR", calliope_mlir_open(NULL, &library));
  show("check: before mlir_open", calliope_check(1, &library, &library));
  show("mlir_open", calliope_mlir_open(mlir, &library));
  printf("library %lld\n", (long long)library);
  show("mlir_open: again", calliope_mlir_open(mlir, &library));
  printf("library %lld\n", (long long)library);
  show("check: library 0", calliope_check(0, &library, &library));
  show("check: library negative", calliope_check(INT64_MIN, &library, &library));
  show("check: context NULL", calliope_check(library, NULL, &library));
  show("check: module NULL", calliope_check(library, &library, NULL));
  show("order_effects: context NULL", calliope_order_effects(library, NULL, &library));
  show("order_effects: module NULL", calliope_order_effects(library, &library, NULL));
  show("prepare: library 0", calliope_prepare(0, &library, &library));
  show("prepare: module NULL", calliope_prepare(library, &library, NULL));
  show("replace_legacy: module NULL", calliope_replace_legacy(library, &library, NULL));
  show("preflight: module NULL", calliope_preflight(library, &library, NULL, NULL));
  calliope_operation d;
  memset(&d, 0, sizeof d);
  show("append: module NULL", calliope_append(library, &library, NULL, NULL, NULL, &d, 0, NULL, 0, NULL, NULL));
  show("append: context NULL", calliope_append(library, NULL, &library, NULL, NULL, &d, 0, NULL, 0, NULL, NULL));

  // What follows needs a context and a module.
  typedef struct {
    void* ptr;
  } handle;
  typedef struct {
    const char* data;
    size_t length;
  } string;
  void* lib = dlopen(mlir, RTLD_NOW | RTLD_LOCAL);
  handle (*create_context)(void) = (handle(*)(void))dlsym(lib, "mlirContextCreate");
  handle (*get_handle)(void) = (handle(*)(void))dlsym(lib, "mlirGetDialectHandle__stablehlo__");
  handle (*func_handle)(void) = (handle(*)(void))dlsym(lib, "mlirGetDialectHandle__func__");
  handle (*load)(handle, handle) = (handle(*)(handle, handle))dlsym(lib, "mlirDialectHandleLoadDialect");
  handle (*parse)(handle, string) = (handle(*)(handle, string))dlsym(lib, "mlirModuleCreateParse");
  handle (*parse_type)(handle, string) = (handle(*)(handle, string))dlsym(lib, "mlirTypeParseGet");
  handle (*body)(handle) = (handle(*)(handle))dlsym(lib, "mlirModuleGetBody");
  handle (*first)(handle) = (handle(*)(handle))dlsym(lib, "mlirBlockGetFirstOperation");
  handle (*region)(handle, intptr_t) = (handle(*)(handle, intptr_t))dlsym(lib, "mlirOperationGetRegion");
  handle (*first_block)(handle) = (handle(*)(handle))dlsym(lib, "mlirRegionGetFirstBlock");
  handle (*argument)(handle, intptr_t) = (handle(*)(handle, intptr_t))dlsym(lib, "mlirBlockGetArgument");
  static const char text[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }";
  handle contexts[2], modules[2], blocks[2], values[2], types[2];
  for (int i = 0; i < 2; i++) {
    contexts[i] = create_context();
    load(func_handle(), contexts[i]);
    load(get_handle(), contexts[i]);
    modules[i] = parse(contexts[i], (string){text, sizeof text - 1});
    blocks[i] = first_block(region(first(body(modules[i])), 0));
    values[i] = argument(blocks[i], 0);
    types[i] = parse_type(contexts[i], (string){"tensor<4xf32>", 13});
  }
  void *c = contexts[0].ptr, *m = modules[0].ptr, *b = blocks[0].ptr, *x = values[0].ptr, *y = values[1].ptr;
  void *t = types[0].ptr, *u = types[1].ptr, *null = NULL, *op = NULL;
  show("check: a module of another context", calliope_check(library, c, modules[1].ptr));
  show("append: description NULL", calliope_append(library, c, m, b, NULL, NULL, 0, NULL, 0, NULL, NULL));
  show("append: struct_size 0", calliope_append(library, c, m, b, NULL, &d, 0, NULL, 0, NULL, NULL));
  d.struct_size = sizeof d;
  show("append: form NULL", calliope_append(library, c, m, b, NULL, &d, 0, NULL, 0, NULL, NULL));
  d.form = "both", d.callback = "f";
  show("append: unknown form", calliope_append(library, c, m, b, NULL, &d, 0, NULL, 0, NULL, NULL));
  d.form = CALLIOPE_FORM_CALL, d.callback = NULL;
  show("append: neither callback nor id", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.callback = "f", d.callback_id = 1;
  show("append: both callback and id", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.callback_id = 0, d.callback = "\xff";
  show("append: callback not UTF-8", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.callback = "f", d.effect = "\xff";
  show("append: effect not UTF-8", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.effect = NULL, d.every = -1;
  show("append: every negative", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.every = 0;
  show("append: block NULL", calliope_append(library, c, m, NULL, NULL, &d, 1, &x, 1, &t, NULL));
  show("append: block of another module", calliope_append(library, c, m, blocks[1].ptr, NULL, &d, 1, &x, 1, &t, NULL));
  show("append: operands NULL", calliope_append(library, c, m, b, NULL, &d, 1, NULL, 1, &t, NULL));
  show("append: num_operands huge", calliope_append(library, c, m, b, NULL, &d, SIZE_MAX, &x, 1, &t, NULL));
  show("append: an operand NULL", calliope_append(library, c, m, b, NULL, &d, 1, &null, 1, &t, NULL));
  show("append: an operand of another module", calliope_append(library, c, m, b, NULL, &d, 1, &y, 1, &t, NULL));
  show("append: results NULL", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, NULL, NULL));
  show("append: a result NULL", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &null, NULL));
  show("append: a result of another context", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &u, NULL));
  d.form = CALLIOPE_FORM_OBSERVE;
  show("append: a result in the form observe", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.form = CALLIOPE_FORM_PURE, d.effect = "e";
  show("append: an effect in the form pure", calliope_append(library, c, m, b, NULL, &d, 1, &x, 1, &t, NULL));
  d.form = CALLIOPE_FORM_OBSERVE, d.check_signature = 1;
  show("append", calliope_append(library, c, m, b, NULL, &d, 1, &x, 0, NULL, &op));
  printf("an operation: %d\n", op != NULL);
  show("order_effects", calliope_order_effects(library, c, m));
  show("prepare", calliope_prepare(library, c, m));
  show("check", calliope_check(library, c, m));
  calliope_preflight_options p;
  memset(&p, 0, sizeof p);
  show("preflight: struct_size 0", calliope_preflight(library, c, m, &p));
  p.struct_size = sizeof p, p.partitions = -1;
  show("preflight: partitions -1", calliope_preflight(library, c, m, &p));
  p.partitions = 0, p.num_targets = 1;
  show("preflight: targets NULL", calliope_preflight(library, c, m, &p));
  const char* none[] = {NULL};
  p.targets = none;
  show("preflight: a target NULL", calliope_preflight(library, c, m, &p));
  void (*destroy_module)(handle) = (void (*)(handle))dlsym(lib, "mlirModuleDestroy");
  void (*destroy_context)(handle) = (void (*)(handle))dlsym(lib, "mlirContextDestroy");
  for (int i = 0; i < 2; i++) {
    destroy_module(modules[i]);
    destroy_context(contexts[i]);
  }
}

static void lint(void) {
  static const char text[] = "module {}";
  const size_t size = sizeof text - 1;
  char* report = NULL;
  void* fixed = NULL;
  size_t fixed_size = 0;
  int32_t findings = 0;
  show("lint: module NULL", calliope_lint(NULL, 0, NULL, NULL, NULL, &report, &findings));
  show("lint: report NULL", calliope_lint(text, size, NULL, NULL, NULL, NULL, &findings));
  show("lint: size huge", calliope_lint(text, SIZE_MAX, NULL, NULL, NULL, &report, &findings));
  const char* names[] = {"..", "../a", "a/../../b", ".", "/a", "a/", "a//b", "-fix", "\xff"};
  for (int i = 0; i < 9; i++) {
    char what[64];
    snprintf(what, sizeof what, "lint: name %s", i < 8 ? names[i] : "not UTF-8");
    show(what, calliope_lint(text, size, names[i], NULL, NULL, &report, &findings));
  }
  show("lint: an option that is no flag", calliope_lint(text, size, NULL, NULL, "-werror\nfile", &report, &findings));
  show("fix: module NULL", calliope_fix(NULL, 0, NULL, &fixed, &fixed_size));
  show("fix: fixed NULL", calliope_fix(text, size, NULL, NULL, &fixed_size));
  show("fix: fixed_size NULL", calliope_fix(text, size, NULL, &fixed, NULL));
  show("lint: there is no mlir-lint", calliope_lint(text, size, NULL, NULL, NULL, &report, &findings));
  setenv("CALLIOPE_MLIR_LINT", "/nowhere/mlir-lint", 1);
  show("lint: mlir-lint is not where it should be", calliope_lint(text, size, NULL, NULL, NULL, &report, &findings));
  show("fix: mlir-lint is not where it should be", calliope_fix(text, size, NULL, &fixed, &fixed_size));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  printf("no error yet: \"%s\"\n", calliope_error_message());
  registering();
  option();
  registries();
  memory();
  handlers();
  ir(argv[1], argv[2]);
  lint();
  return 0;
}
