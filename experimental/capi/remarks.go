package capi

/*
#include "buffer.h"
#include "lock.h"

typedef struct remark {
  struct remark* next;
  int kind;
  uint64_t id;
  MlirLocation location;
  intptr_t strings;
  text* string; // name, category, full category, function, then the key and value of each argument
} remark;

// A remarks is the list of what was reported and not taken yet.
typedef struct {
  const calliope_mlir_api* api;
  lock lock;
  remark* first;
  remark* last;
} remarks;

static remark* remark_free(remark* r) {
  remark* next = r->next;
  for (intptr_t i = 0; i < r->strings; i++) free(r->string[i].data);
  free(r->string);
  free(r);
  return next;
}

static void remarks_add(MlirRemark from, void* user) {
  remarks* s = user;
  const calliope_mlir_api* api = s->api;
  remark* r = calloc(1, sizeof *r);
  if (r == NULL) return;
  intptr_t args = api->mlirRemarkGetNumArgs(from);
  r->kind = (int)api->mlirRemarkGetKind(from);
  r->id = api->mlirRemarkGetId(from);
  r->location = api->mlirRemarkGetLocation(from);
  r->strings = 4 + 2 * args;
  r->string = calloc(r->strings, sizeof *r->string);
  if (r->string == NULL) {
    free(r);
    return;
  }
  text_append(api->mlirRemarkGetRemarkName(from), &r->string[0]);
  text_append(api->mlirRemarkGetCategoryName(from), &r->string[1]);
  text_append(api->mlirRemarkGetFullCategoryName(from), &r->string[2]);
  text_append(api->mlirRemarkGetFunctionName(from), &r->string[3]);
  for (intptr_t i = 0; i < args; i++) {
    text_append(api->mlirRemarkGetArgKey(from, i), &r->string[4 + 2 * i]);
    text_append(api->mlirRemarkGetArgValue(from, i), &r->string[5 + 2 * i]);
  }
  lock_acquire(&s->lock);
  if (s->last) s->last->next = r; else s->first = r;
  s->last = r;
  lock_release(&s->lock);
}

static remark* remarks_take(remarks* s) {
  lock_acquire(&s->lock);
  remark* first = s->first;
  s->first = s->last = NULL;
  lock_release(&s->lock);
  return first;
}

static void remarks_free(remarks* s) {
  for (remark* r = remarks_take(s); r != NULL;) r = remark_free(r);
  lock_destroy(&s->lock);
  free(s);
}

static remarks* remarks_new(const void* table) {
  remarks* s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->api = table;
  lock_init(&s->lock);
  return s;
}

static void* remarks_callback(void) { return remarks_add; }
*/
import "C"

import "unsafe"

// A Remark is what a pass reports of an optimization. Strings are its name, its category, that
// with the subcategory, its function, and the key and value of each argument.
type Remark struct {
	Kind     MlirRemarkKind
	ID       uint64
	Location MlirLocation
	Strings  []string
}

// Remarks collects the remarks of one context in C. Reporting one does not call Go.
type Remarks struct{ s *C.remarks }

// CollectRemarks makes a context report remarks of these categories to a new collection. ok is
// false if the context reports them already, or if a category is not a regular expression.
func CollectRemarks(
	t *Table, ctx MlirContext, categories MlirRemarkCategories, policy MlirRemarkPolicy,
) (r Remarks, ok bool) {
	s := C.remarks_new(t.pointer())
	if s == nil {
		panic("capi: out of memory while asking for remarks")
	}
	callback := MlirRemarkCallback(C.remarks_callback())
	if MlirContextEnableOptimizationRemarksWithCallback(t, ctx, categories, policy, callback, unsafe.Pointer(s), nil,
		false).Value == 0 {
		C.remarks_free(s)
		return Remarks{}, false
	}
	return Remarks{s}, true
}

// Take returns what was reported since the last Take.
func (r Remarks) Take() []Remark {
	var out []Remark
	for m := C.remarks_take(r.s); m != nil; m = C.remark_free(m) {
		remark := Remark{Kind: MlirRemarkKind(m.kind), ID: uint64(m.id),
			Location: *(*MlirLocation)(unsafe.Pointer(&m.location))}
		for _, s := range unsafe.Slice(m.string, int(m.strings)) {
			remark.Strings = append(remark.Strings, C.GoStringN(s.data, C.int(s.length)))
		}
		out = append(out, remark)
	}
	return out
}

// Free releases the collection. The context must not report to it any longer.
func (r Remarks) Free() { C.remarks_free(r.s) }

// EmitRemark reports a remark to the remarks of the location's context, and returns whether it
// is of a category that is reported. The arguments are pairs of a key and a value.
func EmitRemark(
	t *Table, at MlirLocation, kind MlirRemarkKind, name, category, subcategory, function string, args []string,
) bool {
	var keys, values []string
	for i := 0; i+1 < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	keyRefs, freeKeys := stringRefs(keys)
	defer freeKeys()
	valueRefs, freeValues := stringRefs(values)
	defer freeValues()
	return MlirEmitOptimizationRemark(t, at, kind, name, category, subcategory, function, "", len(keys), &keyRefs[0],
		&valueRefs[0])
}
