package capi

/*
#include <stdint.h>
#include <stdlib.h>
#include "gen_mlir_api.h"

typedef const calliope_mlir_api* table;

// An open operation is one whose result is being traced back. In the table its address
// has this bit, which addresses of operations do not have.
enum { OPEN = 1 };

// A step is an operation on the way back from a result: through its operands, and then
// through the operations in its regions, where canonicalization may put in place of it
// what they yield.
typedef struct {
  MlirOperation op;
  MlirOperation inner;  // the next of them, after the operands
  intptr_t operand, operands;
  bool followed;  // it is known to be registered
} step;

typedef struct {
  table api;
  MlirOperation root;
  uintptr_t* seen;  // open addressing; 0 is a free place
  size_t n, capacity;
  step* path;
  size_t depth, room;
  bool failed;
} tracer;

// place is where an operation is in the table, or would be. High bits are spread by
// multiplying.
static uintptr_t* place(tracer* t, uintptr_t key) {
  size_t i = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15 >> 32);
  for (;; i++) {
    uintptr_t* at = &t->seen[i & (t->capacity - 1)];
    if (!*at || (*at & ~(uintptr_t)OPEN) == key) return at;
  }
}

// mark puts an operation into the table, or changes its bit there.
static void mark(tracer* t, MlirOperation op, uintptr_t bit) {
  if (2 * t->n >= t->capacity) {
    tracer more = *t;
    more.capacity = t->capacity * 4;
    more.seen = calloc(more.capacity, sizeof *more.seen);
    if (!more.seen) {
      t->failed = true;
      return;
    }
    for (size_t i = 0; i < t->capacity; i++)
      if (t->seen[i]) *place(&more, t->seen[i] & ~(uintptr_t)OPEN) = t->seen[i];
    free(t->seen);
    *t = more;
  }
  uintptr_t* at = place(t, (uintptr_t)op.ptr);
  t->n += !*at;
  *at = (uintptr_t)op.ptr | bit;
}

static MlirOperation first_from(table api, MlirRegion region, MlirBlock block) {
  for (;;) {
    for (; block.ptr; block = api->mlirBlockGetNextInRegion(block)) {
      MlirOperation op = api->mlirBlockGetFirstOperation(block);
      if (op.ptr) return op;
    }
    region = api->mlirRegionGetNextInOperation(region);
    if (!region.ptr) return (MlirOperation){NULL};
    block = api->mlirRegionGetFirstBlock(region);
  }
}

// first_in is the first operation directly in the regions of another one.
static MlirOperation first_in(table api, MlirOperation op) {
  if (api->mlirOperationGetNumRegions(op) == 0) return (MlirOperation){NULL};
  MlirRegion region = api->mlirOperationGetRegion(op, 0);
  return first_from(api, region, api->mlirRegionGetFirstBlock(region));
}

// next_in is the one after op directly in the regions of the same operation.
static MlirOperation next_in(table api, MlirOperation op) {
  MlirOperation next = api->mlirOperationGetNextInBlock(op);
  if (next.ptr) return next;
  MlirBlock block = api->mlirOperationGetBlock(op);
  return first_from(api, api->mlirBlockGetParentRegion(block), api->mlirBlockGetNextInRegion(block));
}

static bool in_root(tracer* t, MlirOperation op) {
  while (op.ptr && op.ptr != t->root.ptr) op = t->api->mlirOperationGetParentOperation(op);
  return op.ptr;
}

// An operation that is not registered is neither folded nor put out of the way.
static bool follow(tracer* t, step* s) {
  if (s->followed) return true;
  MlirStringRef name = t->api->mlirIdentifierStr(t->api->mlirOperationGetName(s->op));
  s->followed = t->api->mlirContextIsRegisteredOperation(t->api->mlirOperationGetContext(s->op), name);
  return s->followed;
}

static void enter(tracer* t, MlirOperation op) {
  if (t->depth == t->room) {
    size_t room = t->room * 2 + 16;
    step* path = realloc(t->path, room * sizeof *path);
    if (!path) {
      t->failed = true;
      return;
    }
    t->path = path;
    t->room = room;
  }
  step s = {.op = op, .operands = t->api->mlirOperationGetNumOperands(op)};
  bool results = t->api->mlirOperationGetNumResults(op) > 0;
  if (results) mark(t, op, OPEN);
  // A path does not start at what has no results: nothing leads there but from around it.
  if (results || t->depth > 0) s.inner = first_in(t->api, op);
  t->path[t->depth++] = s;
}

// advance takes the next step on the path, onwards or back. It returns an open
// operation that is reached again.
static MlirOperation advance(tracer* t) {
  table api = t->api;
  step* s = &t->path[t->depth - 1];
  MlirOperation none = {NULL};
  while (s->operand < s->operands) {
    MlirValue value = api->mlirOperationGetOperand(s->op, s->operand++);
    if (!value.ptr || !api->mlirValueIsAOpResult(value)) continue;
    MlirOperation definer = api->mlirOpResultGetOwner(value);
    uintptr_t known = *place(t, (uintptr_t)definer.ptr);
    if (known && !(known & OPEN)) continue;
    if (!follow(t, s)) {
      s->inner = none;
      break;
    }
    if (known) return definer;
    if (in_root(t, definer)) {
      enter(t, definer);
      return none;
    }
    mark(t, definer, 0);
  }
  if (s->inner.ptr && follow(t, s)) {
    MlirOperation op = s->inner;
    s->inner = next_in(api, op);
    uintptr_t known = *place(t, (uintptr_t)op.ptr);
    if (known & OPEN) return op;
    if (!known) enter(t, op);
    return none;
  }
  if (api->mlirOperationGetNumResults(s->op) > 0) mark(t, s->op, 0);
  t->depth--;
  return none;
}

static MlirOperation trace(tracer* t, MlirOperation op) {
  MlirOperation found = {NULL};
  if (*place(t, (uintptr_t)op.ptr)) return found;
  enter(t, op);
  while (t->depth > 0 && !t->failed && !found.ptr) found = advance(t);
  return found;
}

// plain reports whether all that an operation uses was left behind.
static bool plain(tracer* t, MlirOperation op) {
  for (intptr_t i = 0, n = t->api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue value = t->api->mlirOperationGetOperand(op, i);
    if (!value.ptr || !t->api->mlirValueIsAOpResult(value)) continue;
    uintptr_t known = *place(t, (uintptr_t)t->api->mlirOpResultGetOwner(value).ptr);
    if (!known || known & OPEN) return false;
  }
  return true;
}

// An operation is left behind after all that is in it. Where each uses only what was left
// behind before there is no cycle: only from others is a path followed.
static MlirOperation cycle(const void* api, MlirOperation root, bool* failed) {
  tracer t = {.api = api, .root = root, .capacity = 1 << 10};
  MlirOperation found = {NULL}, op = root;
  t.seen = calloc(t.capacity, sizeof *t.seen);
  t.failed = !t.seen;
  while (op.ptr && !t.failed) {
    if (!plain(&t, op)) found = trace(&t, op);
    if (found.ptr) break;
    MlirOperation next = first_in(t.api, op);
    while (!next.ptr) {
      if (t.api->mlirOperationGetNumResults(op) > 0) mark(&t, op, 0);
      if (op.ptr == root.ptr) break;
      next = next_in(t.api, op);
      if (!next.ptr) op = t.api->mlirOperationGetParentOperation(op);
    }
    op = next;
  }
  *failed = t.failed;
  free(t.seen);
  free(t.path);
  return found;
}
*/
import "C"

// Cycle is an operation in root, or root, that uses its own result: directly, over
// others, or in its regions. None of those on the way, nor itself, is unregistered or
// outside of root. It is null where there is none.
func Cycle(t *Table, root MlirOperation) MlirOperation {
	var failed C.bool
	t.enter()
	op := C.cycle(t.pointer(), goOperation(root), &failed)
	t.leave()
	if failed {
		panic("capi: out of memory while looking for a cycle")
	}
	return cOperation(op)
}
