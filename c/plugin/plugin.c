#include "plugin.h"

#include <stdlib.h>

#include "_cgo_export.h"

// The table PJRT_Api: each of its functions calls one of Go, with its number.
#define F(number, name) \
  static void *name(void *args) { return (void *)calliopePJRT(number, args); }
#include "internal/abi/gen_table.h"
#undef F

enum {
#define F(number, name) function_##number,
#include "internal/abi/gen_table.h"
#undef F
  NUM_FUNCTIONS
};

struct version {
  size_t struct_size;
  void *extension_start;
  int major, minor;
};

static struct {
  size_t struct_size;
  void *extension_start;
  struct version version;
#define F(number, name) void *(*f##number)(void *);
#include "internal/abi/gen_table.h"
#undef F
} api;

// The extension Shardings.
static void *ParameterShardings(void *args) { return (void *)calliopePJRT(NUM_FUNCTIONS, args); }
static void *OutputShardings(void *args) { return (void *)calliopePJRT(NUM_FUNCTIONS + 1, args); }

static struct {
  size_t struct_size;
  int type;
  void *next;
  void *(*parameters)(void *);
  void *(*outputs)(void *);
} shardings = {sizeof shardings, 19, NULL, ParameterShardings, OutputShardings};

const void *GetPjrtApi(void) {
  api.extension_start = &shardings;
  api.struct_size = sizeof api;
  api.version.struct_size = sizeof api.version;
  api.version.minor = calliopeMinor();
#define F(number, name) api.f##number = name;
#include "internal/abi/gen_table.h"
#undef F
  return &api;
}

void calliope_call_ready(uintptr_t callback, uintptr_t error, uintptr_t user_arg) {
  ((void (*)(void *, void *))callback)((void *)error, (void *)user_arg);
}

const char *calliope_call_python(uintptr_t f, int64_t number, const uintptr_t *args, const uintptr_t *results) {
  return ((const char *(*)(int64_t, const uintptr_t *, const uintptr_t *))f)(number, args, results);
}

void calliope_free(void *p) { free(p); }

uintptr_t calliope_deleter(void) { return (uintptr_t)calliope_free; }
