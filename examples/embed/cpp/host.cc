// A compiler in C++: it has an MLIR context of its own, puts callbacks into a module, orders,
// checks and lints it, and runs it on XLA with functions in C++.
//
//	go run ./examples/embed cpp
//
// The declarations of MLIR and PJRT here are the few that it needs. A real program includes mlir-c and XLA's
// pjrt_c_api.h.

#include <calliope.hpp>
#include <dlfcn.h>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mlir.h"
#include "pjrt.h"

namespace {

using calliope::check;

// Shows an error that is expected.
void refused(const char* what, calliope_status status) {
  std::printf("%s: %d: %s\n", what, status, status == CALLIOPE_OK ? "not refused" : calliope_error_message());
}

// Returns a function that shows its array.
calliope::Function show(std::string what) {
  return [what](const calliope::Call& call) {
    std::printf("%s:", what.c_str());
    for (float x : call.arg<float>(0)) std::printf(" %g", x);
    std::printf("\n");
  };
}

const char* const kModule = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
)";

// The function that this module calls in a branch writes to a value that main returns.
const char* const kBranch = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %p = stablehlo.compare GT, %y, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %q = stablehlo.slice %p [0:1] : (tensor<4xi1>) -> tensor<1xi1>
  %r = stablehlo.reshape %q : (tensor<1xi1>) -> tensor<i1>
  %b = "stablehlo.if"(%r) ({
    %c = stablehlo.custom_call @calliope_io_callback(%y) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {v = 1 : i64, form = "passthrough", callback = "cpp.twice"},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]
    } : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }, {
    %n = stablehlo.negate %y : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
)";

const char* const kOld = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<4xf32>
}
)";

// Appends a callback of a form, and returns the operation.
MlirOperation append(int64_t library, MlirContext context, MlirModule module, MlirBlock block, const char* form, const char* callback,
                     const char* effect, MlirValue operand) {
  calliope_operation description{};
  description.struct_size = sizeof description;
  description.form = form;
  description.callback = callback;
  description.effect = effect;
  void* operands[] = {const_cast<void*>(operand.ptr)};
  MlirOperation operation{};
  check(calliope_append(library, context.ptr, module.ptr, block.ptr, nullptr, &description, 1, operands, 0, nullptr,
                        &operation.ptr));
  return operation;
}

void run(char** argv) {
  // IR: the module belongs to the host.
  Mlir mlir;
  MlirContext context = mlir.context();
  MlirModule module = mlir.parse(context, kModule);
  MlirBlock block = mlir.main(module);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirValue y = mlirOperationGetOperand(end, 0);

  int64_t library = 0;
  check(calliope_mlir_open(argv[1], &library));
  append(library, context, module, block, CALLIOPE_FORM_OBSERVE, "cpp.before", "print", y);
  MlirOperation doubled = append(library, context, module, block, CALLIOPE_FORM_PASSTHROUGH, "cpp.twice", nullptr, y);
  append(library, context, module, block, CALLIOPE_FORM_OBSERVE, "cpp.after", "print", mlirOperationGetResult(doubled, 0));
  mlirOperationSetOperand(end, 0, mlirOperationGetResult(doubled, 0));
  refused("not ordered", calliope_check(library, context.ptr, module.ptr));
  check(calliope_order_effects(library, context.ptr, module.ptr));
  check(calliope_check(library, context.ptr, module.ptr));
  std::string text = mlir.print(module);
  std::printf("verified: %d\n", mlirOperationVerify(mlirModuleGetOperation(module)));

  // Lint, and repair.
  char* report = nullptr;
  int32_t findings = 0;
  check(calliope_lint(text.data(), text.size(), "ours.mlir", "text", nullptr, &report, &findings));
  calliope::Memory ours(report);
  std::printf("findings in ours: %d\n", findings);
  check(calliope_lint(kOld, std::string(kOld).size(), "old.mlir", "text", "-rules=outfeed", &report, &findings));
  calliope::Memory old(report);
  std::printf("findings in an old module: %d\n%s", findings, old.get());
  void* text_of_fixed = nullptr;
  size_t size = 0;
  check(calliope_fix(kOld, std::string(kOld).size(), nullptr, &text_of_fixed, &size));
  calliope::Memory fixed(static_cast<char*>(text_of_fixed));
  std::printf("repaired: %s\n",
              std::string(fixed.get(), size).find("calliope_io_callback") != std::string::npos ? "yes" : "no");

  // Callbacks.
  refused("nothing is registered", calliope_preflight(library, context.ptr, module.ptr, nullptr));
  int calls = 0;
  std::optional<calliope::Callback> twice(std::in_place, "cpp.twice", [&calls](const calliope::Call& call) {
    ++calls;
    for (float& x : call.result<float>(0)) x *= 2;
  });
  calliope::Callback before("cpp.before", show("before")), after("cpp.after", show("after"));
  check(calliope_preflight(library, context.ptr, module.ptr, nullptr));

  // Run.
  Pjrt pjrt(argv[2]);
  check(calliope_register_pjrt(pjrt.api()));
  pjrt.compile(text);
  for (int i = 0; i < 2; i++) {
    std::vector<float> result = pjrt.run({1, 2, 3, 4});
    std::printf("result: %g %g %g %g\n", result[0], result[1], result[2], result[3]);
  }
  MlirModule branch = mlir.parse(context, kBranch);
  check(calliope_prepare(library, context.ptr, branch.ptr));
  pjrt.compile(mlir.print(branch));
  std::vector<float> kept = pjrt.run({1, 2, 3, 4});
  std::printf("kept: %g %g %g %g\n", kept[0], kept[1], kept[2], kept[3]);
  check(calliope_barrier("end", 0));
  std::printf("calls: %d\n", calls);

  // Errors.
  twice.reset();
  calliope::Callback fails("cpp.twice", [](const calliope::Call&) { throw std::runtime_error("no such thing"); });
  pjrt.compile(text);
  std::printf("a callback that fails: %s\n", pjrt.error_of_run({1, 2, 3, 4}).c_str());
  refused("an unknown registry", calliope_unregister("nowhere", "cpp.twice"));
  refused("an unknown library", calliope_check(7, context.ptr, module.ptr));
  refused("nothing to prepare", calliope_prepare(library, context.ptr, nullptr));
  refused("no module", calliope_order_effects(library, context.ptr, nullptr));
  calliope_operation nothing{};
  refused("an empty description", calliope_append(library, context.ptr, module.ptr, block.ptr, nullptr, &nothing, 0, nullptr, 0, nullptr, nullptr));
  refused("memory of the host", calliope_free(&calls));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: host MLIR_LIBRARY PJRT_PLUGIN\n");
    return 2;
  }
  try {
    run(argv);
    return 0;
  } catch (const calliope::Error& e) {
    std::fprintf(stderr, "error %d: %s\n", e.status(), e.what());
    return 1;
  }
}
