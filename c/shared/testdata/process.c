// Uses the library around fork and exec, and on small stacks.
//
//	process fork
//	process exec
//	process stack KIB MLIR

#include <dlfcn.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"

static void show(const char* what, calliope_status status) {
  printf("%s: %d%s%s\n", what, status, status == CALLIOPE_OK ? "" : ": ", status == CALLIOPE_OK ? "" : calliope_error_message());
}

static calliope_status twice(void* user_data, calliope_call* call) {
  (void)user_data;
  *(float*)call->results[0].data = 2 * *(float*)call->args[0].data;
  return CALLIOPE_OK;
}

// Registers a function, and makes calls on this thread and on one of the library.
static void use(const char* who) {
  for (int d = 0; d < 4; d++) {
    if (d == CALLIOPE_ASYNC) continue;
    calliope_options o = {.struct_size = sizeof o, .dispatch = d};
    must(calliope_register(who, twice, NULL, &o));
    fake_site site;
    char* text = fake_bind(&site, CALLIOPE_FORM_CALL, who);
    if (text != NULL) fake_show(who, text);
    float x = 4, y = 0;
    text = fake_call(&site, 1, &x, &y, 1);
    if (text != NULL || y != 8) fake_show(who, text);
    fake_free(&site);
    must(calliope_unregister(NULL, who));
  }
  printf("%s: calls are made\n", who);
}

static void in_child(void) {
  char* text = NULL;
  int64_t n = 0;
  int32_t findings;
  void* p = NULL;
  size_t size;
  calliope_handler h;
  show("child: free", calliope_free(&n));
  show("child: get_handler", calliope_get_handler(CALLIOPE_TARGET_IO_CALLBACK, CALLIOPE_STAGE_EXECUTE, &h));
  show("child: register_pjrt", calliope_register_pjrt(NULL));
  show("child: register", calliope_register("f", twice, NULL, NULL));
  show("child: register_id", calliope_register_id(twice, NULL, NULL, &n));
  show("child: unregister", calliope_unregister(NULL, "f"));
  show("child: unregister_id", calliope_unregister_id(NULL, 1));
  show("child: registry_open", calliope_registry_open("r", NULL));
  show("child: registry_close", calliope_registry_close("r"));
  show("child: barrier", calliope_barrier(NULL, 0));
  show("child: stats", calliope_stats(&text));
  show("child: mlir_open", calliope_mlir_open(NULL, &n));
  show("child: append", calliope_append(1, &n, &n, NULL, NULL, NULL, 0, NULL, 0, NULL, &p));
  show("child: order_effects", calliope_order_effects(1, &n, &n));
  show("child: prepare", calliope_prepare(1, &n, &n));
  show("child: check", calliope_check(1, &n, &n));
  show("child: lint", calliope_lint("", 0, NULL, NULL, NULL, &text, &findings));
  show("child: fix", calliope_fix("", 0, NULL, &p, &size));
  printf("child: version: %d\n", calliope_version() == CALLIOPE_VERSION);
}

static void wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    printf("the child ended with %d\n", status);
    exit(1);
  }
}

struct module {
  int64_t library;
  void *context, *module;
};

// Calls functions on a thread with a small stack.
static void* on_stack(void* mlir) {
  use("small stack");
  char* json;
  must(calliope_stats(&json));
  must(calliope_free(json));
  must(calliope_barrier(NULL, 1000000000));
  show("an error", calliope_unregister(NULL, "nobody"));
  if (mlir == NULL) return NULL;

  const struct module* m = mlir;
  must(calliope_check(m->library, m->context, m->module));
  must(calliope_order_effects(m->library, m->context, m->module));
  calliope_operation d = {.struct_size = sizeof d, .form = CALLIOPE_FORM_OBSERVE, .callback = "f", .effect = "e"};
  show("append", calliope_append(m->library, m->context, m->module, NULL, NULL, &d, 0, NULL, 0, NULL, NULL));
  char* report;
  must(calliope_lint("", 0, NULL, NULL, NULL, &report, NULL));
  must(calliope_free(report));
  return NULL;
}

// Opens MLIR, and parses a module with n callbacks.
static struct module parse(const char* path, int n) {
  typedef struct {
    void* ptr;
  } handle;
  typedef struct {
    const char* data;
    size_t length;
  } string;
  struct module m;
  must(calliope_mlir_open(path, &m.library));
  void* lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  handle (*create)(void) = (handle(*)(void))dlsym(lib, "mlirContextCreate");
  handle (*stablehlo)(void) = (handle(*)(void))dlsym(lib, "mlirGetDialectHandle__stablehlo__");
  handle (*func)(void) = (handle(*)(void))dlsym(lib, "mlirGetDialectHandle__func__");
  handle (*load)(handle, handle) = (handle(*)(handle, handle))dlsym(lib, "mlirDialectHandleLoadDialect");
  handle (*parse)(handle, string) = (handle(*)(handle, string))dlsym(lib, "mlirModuleCreateParse");
  handle c = create();
  load(func(), c);
  load(stablehlo(), c);
  char* text = malloc(300 * (size_t)n + 200);
  char* at = text + sprintf(text, "func.func @main(%%x: tensor<4xf32>) {\n");
  for (int i = 0; i < n; i++) {
    at += sprintf(at,
                  "%%t%d = stablehlo.custom_call @" CALLIOPE_TARGET_IO_CALLBACK
                  "(%%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "
                  "\"observe\", callback = \"f\", effect = \"e\"}} : (tensor<4xf32>) -> tensor<1xi8>\n",
                  i);
  }
  at += sprintf(at, "return }");
  m.context = c.ptr;
  m.module = parse(c, (string){text, (size_t)(at - text)}).ptr;
  free(text);
  if (m.module == NULL) exit(1);
  return m;
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  fake_open(5);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "fork") == 0) {
    use("parent");
    pid_t child = fork();
    if (child == 0) {
      in_child();
      if (fork() == 0) {
        show("grandchild: stats", calliope_stats(NULL));
        _exit(0);
      }
      wait(NULL);
      _exit(0);
    }
    wait_for(child);
    use("parent after fork");
    return 0;
  }
  if (strcmp(what, "exec") == 0) {
    use("parent");
    pid_t child = fork();
    if (child == 0) {
      execl(argv[0], argv[0], "child", NULL);
      _exit(1);
    }
    wait_for(child);
    return 0;
  }
  if (strcmp(what, "child") == 0) {
    use("child after exec");
    return 0;
  }
  if (strcmp(what, "stack") == 0 && argc >= 3) {
    struct module m;
    if (argc == 4) {
      m = parse(argv[3], 200);
      must(calliope_order_effects(m.library, m.context, m.module));
      m = parse(argv[3], 200);
      // The module on the small stack is in order already, so that check finds nothing.
      must(calliope_order_effects(m.library, m.context, m.module));
    }
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    if (pthread_attr_setstacksize(&attr, (size_t)atoi(argv[2]) << 10) != 0 ||
        pthread_create(&thread, &attr, on_stack, argc == 4 ? &m : NULL) != 0) {
      perror("a thread");
      return 1;
    }
    pthread_join(thread, NULL);
    printf("the stack is enough\n");
    return 0;
  }
  return 2;
}
