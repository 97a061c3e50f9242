// Runs a module again and again by the helper of the host in C, and prints by how many KiB the heap grew in a run.

#include <malloc.h>

#include "../c/pjrt.h"

int main(int argc, char** argv) {
  enum { FIRST = 4, RUNS = 16 };
  static const char module[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = stablehlo.add %x, %x : tensor<4xf32>\n"
      "  return %y : tensor<4xf32>\n"
      "}\n";
  if (argc != 2) return 2;
  const struct PJRT_Api* api = load_plugin(argv[1]);
  const float x[] = {1, 2, 3, 4};
  float y[4];
  size_t before = 0;
  for (int i = 0; i < RUNS; i++) {
    if (i == FIRST) before = mallinfo2().uordblks;
    run(api, module, sizeof module - 1, x, y, 4);
  }
  size_t after = mallinfo2().uordblks;
  printf("%zu\n", after > before ? (after - before) / (RUNS - FIRST) / 1024 : 0);
  return 0;
}
