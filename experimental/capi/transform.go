package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

extern unsigned calliopeTransform(void* op, void* rewriter, void* results, void* state, uintptr_t handle);
extern void calliopeTransformDestruct(uintptr_t handle);

// The helpers that say what an operation of a script does with its handles. They take a list in
// the library on which they were tried, and other arguments in another one.
typedef struct {
  void (*reads)(MlirOpOperand* operands, intptr_t n, MlirMemoryEffectInstancesList list);
  void (*consumes)(MlirOpOperand* operands, intptr_t n, MlirMemoryEffectInstancesList list);
  void (*produces)(MlirValue* results, intptr_t n, MlirMemoryEffectInstancesList list);
  void (*modifies_payload)(MlirMemoryEffectInstancesList list);
  void (*reads_payload)(MlirMemoryEffectInstancesList list);
} effect_helpers;

// A transform has two models, of which each frees its own copy.
typedef struct {
  const calliope_mlir_api* api;
  effect_helpers help;
  uintptr_t handle; // 0 in the model of the effects
  uint64_t consumed; // a bit for each operand
  bool reads_only;
  bool repeats;
} transform;

static void transform_effects(MlirOperation op, MlirMemoryEffectInstancesList list, void* user) {
  transform* t = user;
  for (intptr_t i = 0, n = t->api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirOpOperand operand = t->api->mlirOperationGetOpOperand(op, i);
    (i < 64 && t->consumed >> i & 1 ? t->help.consumes : t->help.reads)(&operand, 1, list);
  }
  for (intptr_t i = 0, n = t->api->mlirOperationGetNumResults(op); i < n; i++) {
    MlirValue result = t->api->mlirOperationGetResult(op, i);
    t->help.produces(&result, 1, list);
  }
  (t->reads_only ? t->help.reads_payload : t->help.modifies_payload)(list);
}

static MlirDiagnosedSilenceableFailure transform_apply(MlirOperation op, MlirTransformRewriter rewriter,
                                                       MlirTransformResults results, MlirTransformState state,
                                                       void* user) {
  transform* t = user;
  return calliopeTransform(op.ptr, rewriter.ptr, results.ptr, state.ptr, t->handle);
}

static bool transform_repeats(MlirOperation op, void* user) { return ((transform*)user)->repeats; }

static void transform_destruct(void* user) {
  transform* t = user;
  if (t->handle != 0) calliopeTransformDestruct(t->handle);
  free(t);
}

static bool attach_transform(MlirContext ctx, const char* name, size_t len, transform given) {
  transform* models[2] = {malloc(sizeof(transform)), malloc(sizeof(transform))};
  if (models[0] == NULL || models[1] == NULL) {
    free(models[0]);
    free(models[1]);
    return false;
  }
  *models[0] = *models[1] = given;
  models[0]->handle = 0;
  MlirStringRef op = {(char*)name, len};
  MlirMemoryEffectsOpInterfaceCallbacks effects = {NULL, transform_destruct, (void (*)(void))transform_effects, models[0]};
  given.api->mlirMemoryEffectsOpInterfaceAttachFallbackModel(ctx, op, effects);
  MlirTransformOpInterfaceCallbacks callbacks = {NULL, transform_destruct, transform_apply, transform_repeats, models[1]};
  given.api->mlirTransformOpInterfaceAttachFallbackModel(ctx, op, callbacks);
  return true;
}

typedef struct {
  const void** items;
  size_t length, capacity;
  bool failed;
} pointers;

static void pointers_add(const void* item, pointers* list) {
  if (list->length == list->capacity) {
    size_t capacity = 2 * list->capacity + 16;
    const void** items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) {
      list->failed = true;
      return;
    }
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->length++] = item;
}

static void add_op(MlirOperation op, void* list) { pointers_add(op.ptr, list); }
static void add_value(MlirValue value, void* list) { pointers_add(value.ptr, list); }
static void add_attribute(MlirAttribute attribute, void* list) { pointers_add(attribute.ptr, list); }

enum { PAYLOAD_OPS, PAYLOAD_VALUES, PAYLOAD_PARAMS };

static pointers payload_of(const void* table, void* state, void* value, int kind) {
  const calliope_mlir_api* api = table;
  pointers list = {NULL, 0, 0, false};
  MlirTransformState s = {state};
  MlirValue v = {value};
  switch (kind) {
    case PAYLOAD_OPS: api->mlirTransformStateForEachPayloadOp(s, v, add_op, &list); break;
    case PAYLOAD_VALUES: api->mlirTransformStateForEachPayloadValue(s, v, add_value, &list); break;
    case PAYLOAD_PARAMS: api->mlirTransformStateForEachParam(s, v, add_attribute, &list); break;
  }
  return list;
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// TransformHelpers are functions of the library that AttachTransform needs. They have other
// prototypes in libraries without mlirMemoryEffectInstancesListAppend.
var TransformHelpers = []string{"mlirTransformOnlyReadsHandle", "mlirTransformConsumesHandle",
	"mlirTransformProducesHandle",
	"mlirTransformModifiesPayload", "mlirTransformOnlyReadsPayload"}

// A TransformApply applies an operation of a transform script.
type TransformApply func(
	MlirOperation, MlirTransformRewriter, MlirTransformResults, MlirTransformState,
) MlirDiagnosedSilenceableFailure

// A Transform is the meaning of operations of a transform script. Apply must not panic.
type Transform struct {
	Apply     TransformApply
	Consumed  uint64 // a bit for each operand
	ReadsOnly bool
	Repeats   bool
}

// CanTransform returns the name of a function that the library lacks for AttachTransform, or "".
func CanTransform(t *Table) (missing string) {
	for _, name := range []string{"mlirTransformOpInterfaceAttachFallbackModel",
		"mlirMemoryEffectsOpInterfaceAttachFallbackModel"} {
		if !t.Has(name) {
			return name
		}
	}
	if t.Has("mlirMemoryEffectInstanceClone") {
		return "mlirMemoryEffectInstancesListAppend"
	}
	for _, name := range TransformHelpers {
		if t.lib.Symbol(name) == nil {
			return name
		}
	}
	return ""
}

// AttachTransform gives the operations of a name, which must be registered and have no memory
// effects, a meaning in transform scripts. The context releases it when it is destroyed.
func AttachTransform(t *Table, ctx MlirContext, name string, f Transform) {
	apply := f.Apply
	f.Apply = func(op MlirOperation, r MlirTransformRewriter, results MlirTransformResults,
		state MlirTransformState) MlirDiagnosedSilenceableFailure {
		defer t.pause()()
		return apply(op, r, results, state)
	}
	given := C.transform{api: (*C.calliope_mlir_api)(t.pointer()), handle: C.uintptr_t(cgo.NewHandle(f)),
		consumed: C.uint64_t(f.Consumed), reads_only: C.bool(f.ReadsOnly), repeats: C.bool(f.Repeats)}
	for i, to := range []*unsafe.Pointer{
		(*unsafe.Pointer)(unsafe.Pointer(&given.help.reads)), (*unsafe.Pointer)(unsafe.Pointer(&given.help.consumes)),
		(*unsafe.Pointer)(unsafe.Pointer(&given.help.produces)),
		(*unsafe.Pointer)(unsafe.Pointer(&given.help.modifies_payload)),
		(*unsafe.Pointer)(unsafe.Pointer(&given.help.reads_payload)),
	} {
		*to = t.lib.Symbol(TransformHelpers[i])
	}
	t.enter()
	defer t.leave()
	if !C.attach_transform(*(*C.MlirContext)(unsafe.Pointer(&ctx)), (*C.char)(unsafe.Pointer(unsafe.StringData(name))),
		C.size_t(len(name)), given) {
		panic("capi: out of memory while attaching a transform")
	}
}

// The kinds of what handles of transform scripts stand for.
const (
	PayloadOps    = C.PAYLOAD_OPS
	PayloadValues = C.PAYLOAD_VALUES
	PayloadParams = C.PAYLOAD_PARAMS
)

// Payload returns what a handle of that kind stands for.
func Payload(t *Table, state MlirTransformState, handle MlirValue, kind int) []unsafe.Pointer {
	t.enter()
	list := C.payload_of(t.pointer(), state.Ptr, handle.Ptr, C.int(kind))
	t.leave()
	defer C.free(unsafe.Pointer(list.items))
	if list.failed {
		panic("capi: out of memory in the payload of a handle")
	}
	return append([]unsafe.Pointer(nil),
		unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(list.items)), int(list.length))...)
}
