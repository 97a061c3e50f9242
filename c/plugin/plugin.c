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

// Extensions, whose functions have numbers after those of the API, in this order.
#define F(number, name) \
  static void *name(void *args) { return (void *)calliopePJRT(NUM_FUNCTIONS + number, args); }
F(0, ParameterShardings)
F(1, OutputShardings)
F(2, RegisterType)
F(3, AddUserData)
F(4, RegisterHandler)
#undef F

typedef struct {
  size_t struct_size;
  int type;
  const void *next;
  void *(*functions[3])(void *);
} extension;

enum { SHARDINGS = 19, FFI = 5 };

static const extension shardings = {sizeof shardings - sizeof(void *), SHARDINGS, NULL,
                                    {ParameterShardings, OutputShardings}};
static const extension ffi = {sizeof ffi, FFI, &shardings, {RegisterType, AddUserData, RegisterHandler}};

const void *GetPjrtApi(void) {
  calliope_share_signal();
  api.extension_start = (void *)&ffi;
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
