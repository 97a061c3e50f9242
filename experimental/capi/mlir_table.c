#include "mlir_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "gen_mlir_api.h"
#include "gen_mlir_names.h"

#ifdef _WIN32
#include <windows.h>
static void* dlsym(void* library, const char* name) { return (void*)(uintptr_t)GetProcAddress(library, name); }
#else
#include <dlfcn.h>
#endif

enum { kNames = sizeof(calliope_mlir_names) / sizeof(calliope_mlir_names[0]) };

_Static_assert(sizeof(calliope_mlir_api) == kNames * sizeof(void*),
               "the table and its names come from one run of bindgen");

int calliope_mlir_release(void* library) {
  void (*get)(unsigned*, unsigned*, unsigned*) = dlsym(library, "LLVMGetVersion");
  unsigned major = 0, minor = 0, patch = 0;
  if (get != NULL) get(&major, &minor, &patch);
  // torch-mlir's library for Windows exports no LLVM function. The pinned wheel is of LLVM 24.
  // Another one counts as that, so that no function whose prototype may differ is called.
  if (get == NULL && dlsym(library, "torchMlirRegisterAllDialects") != NULL) return 24;
  return (int)major;
}

// newer_known reports whether the library is one of those between releases on which the functions that it has were tried:
// torch-mlir's of LLVM 24, and IREE's. Their prototypes have changed more than once, so the library must have the
// functions that were added with the last change, and not those that came after it.
static bool newer_known(void* library, int release) {
  if (dlsym(library, "mlirTypeConverterAdd1ToNTargetMaterialization") == NULL) return false;
  bool clones = dlsym(library, "mlirMemoryEffectInstanceClone") != NULL;
  bool lists = dlsym(library, "mlirMemoryEffectInstancesListAppend") != NULL;
  if (dlsym(library, "ireeCompilerGlobalInitialize") != NULL)
    return clones && !lists && dlsym(library, "mlirEmitOptimizationRemark") != NULL;
  return release == 24 && lists && !clones;
}

// has_prototype reports whether the library's function has the prototype that was bound. A
// function whose prototype changed is called only if it is known which one the library has.
static bool has_prototype(void* library, int release, bool newer, size_t i) {
  int first = calliope_mlir_names[i].release, until = calliope_mlir_names[i].until, since = calliope_mlir_names[i].since;
  // The functions of the last release may change until there is one.
  if (since != 0) return newer || (since < calliope_mlir_last && release >= since && release <= until);
  if (first != 0) return release == first || (release > first && release <= until);
  if (calliope_mlir_names[i].unless == NULL) return true;
  if (release != 0) return release <= until;
  return dlsym(library, calliope_mlir_names[i].unless) == NULL;
}

void* calliope_mlir_table(void* library) {
  void** table = calloc(kNames, sizeof(void*));
  if (table == NULL) return NULL;
  int release = calliope_mlir_release(library);
  bool newer = newer_known(library, release);
  for (size_t i = 0; i < kNames; i++) {
    if (has_prototype(library, release, newer, i)) table[i] = dlsym(library, calliope_mlir_names[i].symbol);
  }
  return table;
}

// The namespaces for which some known library exports a dialect handle.
static const char* const kHandles[] = {
    "mlirGetDialectHandle__amdgpu__",  "mlirGetDialectHandle__arith__",
    "mlirGetDialectHandle__async__",   "mlirGetDialectHandle__cf__",
    "mlirGetDialectHandle__chlo__",    "mlirGetDialectHandle__func__",
    "mlirGetDialectHandle__gpu__",     "mlirGetDialectHandle__index__",
    "mlirGetDialectHandle__irdl__",    "mlirGetDialectHandle__linalg__",
    "mlirGetDialectHandle__llvm__",    "mlirGetDialectHandle__math__",
    "mlirGetDialectHandle__memref__",  "mlirGetDialectHandle__mhlo__",
    "mlirGetDialectHandle__mosaic_gpu__", "mlirGetDialectHandle__nvgpu__",
    "mlirGetDialectHandle__nvvm__",    "mlirGetDialectHandle__pdl__",
    "mlirGetDialectHandle__quant__",   "mlirGetDialectHandle__scf__",
    "mlirGetDialectHandle__sdy__",     "mlirGetDialectHandle__shape__",
    "mlirGetDialectHandle__sparse_tensor__", "mlirGetDialectHandle__stablehlo__",
    "mlirGetDialectHandle__tensor__",  "mlirGetDialectHandle__tpu__",
    "mlirGetDialectHandle__transform__", "mlirGetDialectHandle__triton__",
    "mlirGetDialectHandle__vector__",  "mlirGetDialectHandle__vhlo__",
};

void calliope_mlir_register_dialects(void* library, const void* table, void* registry) {
  const calliope_mlir_api* api = table;
  MlirDialectRegistry into = {registry};
  // IREE's library has its own registration function.
  void (*iree)(MlirDialectRegistry) = dlsym(library, "ireeCompilerRegisterDialects");
  if (iree != NULL) {
    void (*initialize)(void) = dlsym(library, "ireeCompilerGlobalInitialize");
    if (initialize != NULL) initialize();
    iree(into);
  } else if (api->mlirRegisterAllDialects != NULL) {
    api->mlirRegisterAllDialects(into);
  }
  if (api->mlirDialectHandleInsertDialect == NULL) return;
  for (size_t i = 0; i < sizeof(kHandles) / sizeof(kHandles[0]); i++) {
    MlirDialectHandle (*handle)(void) = dlsym(library, kHandles[i]);
    if (handle != NULL) api->mlirDialectHandleInsertDialect(handle(), into);
  }
}
