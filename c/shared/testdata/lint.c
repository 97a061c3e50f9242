// Checks and repairs modules that are empty, damaged or in a wrong form, by mlir-lint.

#include <calliope.h>
#include <stdio.h>

static void lint(const char* what, const char* module, size_t size, const char* format, const char* options) {
  char* report = NULL;
  int32_t findings = -1;
  calliope_status status = calliope_lint(module, size, "a/module.mlir", format, options, &report, &findings);
  printf("%s: %d, findings %d: %s\n", what, status, findings, status == CALLIOPE_OK ? report : calliope_error_message());
  calliope_free(report);
}

int main(void) {
  void* fixed = NULL;
  size_t size = 0;
  lint("empty", "", 0, NULL, NULL);
  lint("damaged text", "func.func @main(", 16, NULL, NULL);
  lint("damaged bytecode", "ML\xefR\x01\xff\xff\xff", 8, NULL, NULL);
  lint("unknown format", "module {}", 9, "nothing", NULL);
  lint("unknown option", "module {}", 9, NULL, "-nothing");
  calliope_status status = calliope_fix("func.func @main(", 16, NULL, &fixed, &size);
  printf("repair of damaged text: %d, %d\n", status, fixed == NULL);
  return 0;
}
