package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

// An effect of an operation. index is that of the operand or result that it is on.
typedef struct {
  int kind;
  int on;
  intptr_t index;
} effect;

enum { ON_NOTHING, ON_OPERAND, ON_RESULT };

extern intptr_t calliopeEffects(void* op, uintptr_t handle, effect** effects);
extern void calliopeEffectsDestruct(uintptr_t handle);

typedef struct {
  const calliope_mlir_api* api;
  uintptr_t handle;
} model;

static MlirMemoryEffectInstance instance(const calliope_mlir_api* api, MlirOperation op, effect e) {
  MlirMemoryEffect (*const kinds[])(void) = {api->mlirMemoryEffectsReadGet, api->mlirMemoryEffectsWriteGet,
                                             api->mlirMemoryEffectsAllocateGet, api->mlirMemoryEffectsFreeGet};
  MlirMemoryEffect kind = kinds[e.kind]();
  MlirSideEffectResource resource = api->mlirSideEffectsDefaultResourceGet();
  MlirAttribute none = {NULL};
  if (e.on == ON_OPERAND)
    return api->mlirMemoryEffectInstanceCreateForOpOperand(kind, api->mlirOperationGetOpOperand(op, e.index), none, 0,
                                                           false, resource);
  if (e.on == ON_RESULT)
    return api->mlirMemoryEffectInstanceCreateForOpResult(kind, api->mlirOperationGetResult(op, e.index), none, 0,
                                                          false, resource);
  return api->mlirMemoryEffectInstanceCreate(kind, none, 0, false, resource);
}

// The two forms in which libraries ask for the effects of an operation; see Effects.h. Those with the second form have
// this function.
static bool asks_with_callback(const calliope_mlir_api* api) { return api->mlirMemoryEffectInstanceClone != NULL; }

static void effects_to_list(MlirOperation op, MlirMemoryEffectInstancesList list, void* user) {
  model* m = user;
  effect* effects = NULL;
  intptr_t n = calliopeEffects(op.ptr, m->handle, &effects);
  for (intptr_t i = 0; i < n; i++) {
    MlirMemoryEffectInstance e = instance(m->api, op, effects[i]);
    m->api->mlirMemoryEffectInstancesListAppend(list, e);
    m->api->mlirMemoryEffectInstanceDestroy(e);
  }
  free(effects);
}

static void effects_to_callback(MlirOperation op, MlirMemoryEffectInstancesCallback callback, void* data, void* user) {
  model* m = user;
  effect* effects = NULL;
  intptr_t n = calliopeEffects(op.ptr, m->handle, &effects);
  MlirMemoryEffectInstance* list = calloc(n + 1, sizeof *list);
  for (intptr_t i = 0; list != NULL && i < n; i++) list[i] = instance(m->api, op, effects[i]);
  if (list != NULL) callback(n, list, data);
  for (intptr_t i = 0; list != NULL && i < n; i++) m->api->mlirMemoryEffectInstanceDestroy(list[i]);
  free(list);
  free(effects);
}

static void model_destruct(void* user) {
  calliopeEffectsDestruct(((model*)user)->handle);
  free(user);
}

static bool attach_effects(const void* table, MlirContext ctx, const char* name, size_t len, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  model* m = malloc(sizeof *m);
  if (m == NULL) return false;
  *m = (model){api, handle};
  void (*ask)(void) = asks_with_callback(api) ? (void (*)(void))effects_to_callback : (void (*)(void))effects_to_list;
  MlirMemoryEffectsOpInterfaceCallbacks callbacks = {NULL, model_destruct, ask, m};
  api->mlirMemoryEffectsOpInterfaceAttachFallbackModel(ctx, (MlirStringRef){(char*)name, len}, callbacks);
  return true;
}

static void none_to_list(MlirOperation op, MlirMemoryEffectInstancesList list, void* user) {}

static void none_to_callback(MlirOperation op, MlirMemoryEffectInstancesCallback callback, void* data, void* user) {
  MlirMemoryEffectInstance none = {NULL};
  callback(0, &none, data);
}

// always returns MlirSpeculatabilitySpeculatable.
static MlirSpeculatability always(MlirOperation op, void* user) { return 1; }

static void attach_pure(const void* table, MlirContext ctx, const char* name, size_t len) {
  const calliope_mlir_api* api = table;
  MlirStringRef op = {(char*)name, len};
  void (*none)(void) = asks_with_callback(api) ? (void (*)(void))none_to_callback : (void (*)(void))none_to_list;
  MlirMemoryEffectsOpInterfaceCallbacks effects = {NULL, NULL, none, NULL};
  api->mlirMemoryEffectsOpInterfaceAttachFallbackModel(ctx, op, effects);
  MlirConditionallySpeculatableOpInterfaceCallbacks speculation = {NULL, NULL, always, NULL};
  api->mlirConditionallySpeculatableOpInterfaceAttachFallbackModel(ctx, op, speculation);
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// An Effect is one memory effect of an operation.
type Effect struct {
	Kind  int // 0 read, 1 write, 2 allocate, 3 free
	On    int // 0 no value, 1 an operand, 2 a result
	Index int
}

// An EffectsFunc returns the effects of an operation. It must not panic, and may be called
// from any thread.
type EffectsFunc func(MlirOperation) []Effect

// AttachEffects gives the operations of a name, which must be registered and have no memory
// effects of their own, those that f returns. The context releases f when it is destroyed.
func AttachEffects(t *Table, ctx MlirContext, name string, f EffectsFunc) {
	h := cgo.NewHandle(EffectsFunc(func(op MlirOperation) []Effect {
		defer t.pause()()
		return f(op)
	}))
	t.enter()
	defer t.leave()
	if !C.attach_effects(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)), C.uintptr_t(h)) {
		panic("capi: out of memory while attaching memory effects")
	}
}

// AttachPure gives the operations of a name, which must be registered and have no memory effects of their own, no
// effects, and says that they may run where they would not have run.
func AttachPure(t *Table, ctx MlirContext, name string) {
	t.enter()
	defer t.leave()
	C.attach_pure(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)))
}
