package capi

/*
#include "buffer.h"
#include "walk.h"

// In the table of seen operations, the address of an operation on the current path has
// this bit. Addresses of operations do not have it.
enum { OPEN = 1 };

// A step is an operation on the current path. The path leads from an operation to those
// that define its operands, and then to those in its regions, because canonicalization may
// replace an operation by what they yield.
typedef struct {
  MlirOperation op;
  MlirOperation inner;  // the next one in the regions, after the operands
  intptr_t operand, operands;
  bool registered;  // known to be registered
} step;

typedef struct {
  table api;
  MlirOperation root;
  uintptr_t* seen;  // a hash table with open addressing; 0 is a free slot
  size_t n, capacity;
  step* path;
  size_t depth, path_capacity;
  bool failed;
} tracer;

// slot returns the slot of an operation in the table. Multiplying spreads the high bits.
static uintptr_t* slot(tracer* t, uintptr_t key) {
  size_t i = (size_t)((uint64_t)key * 0x9e3779b97f4a7c15 >> 32);
  for (;; i++) {
    uintptr_t* at = &t->seen[i & (t->capacity - 1)];
    if (!*at || (*at & ~(uintptr_t)OPEN) == key) return at;
  }
}

// mark adds an operation to the table, or changes its bit there.
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
      if (t->seen[i]) *slot(&more, t->seen[i] & ~(uintptr_t)OPEN) = t->seen[i];
    free(t->seen);
    *t = more;
  }
  uintptr_t* at = slot(t, (uintptr_t)op.ptr);
  t->n += !*at;
  *at = (uintptr_t)op.ptr | bit;
}

static bool in_root(tracer* t, MlirOperation op) {
  while (op.ptr && op.ptr != t->root.ptr) op = t->api->mlirOperationGetParentOperation(op);
  return op.ptr;
}

// follow reports whether the path goes on from a step: an operation that is not registered
// is neither folded nor removed.
static bool follow(tracer* t, step* s) {
  if (s->registered) return true;
  MlirStringRef name = t->api->mlirIdentifierStr(t->api->mlirOperationGetName(s->op));
  s->registered = t->api->mlirContextIsRegisteredOperation(t->api->mlirOperationGetContext(s->op), name);
  return s->registered;
}

// enter appends an operation to the path.
static void enter(tracer* t, MlirOperation op) {
  step* path = grow(t->path, &t->path_capacity, t->depth + 1, sizeof *path);
  if (!path) {
    t->failed = true;
    return;
  }
  t->path = path;
  step s = {.op = op, .operands = t->api->mlirOperationGetNumOperands(op)};
  bool results = t->api->mlirOperationGetNumResults(op) > 0;
  if (results) mark(t, op, OPEN);
  // A path does not start in the regions of an operation without results: only the
  // operations around it lead to them.
  if (results || t->depth > 0) s.inner = first_in(t->api, op);
  t->path[t->depth++] = s;
}

// advance appends the next operation to the path, or removes the last one. It returns an
// operation on the path that is reached again, or null.
static MlirOperation advance(tracer* t) {
  table api = t->api;
  step* s = &t->path[t->depth - 1];
  MlirOperation none = {NULL};
  while (s->operand < s->operands) {
    MlirValue value = api->mlirOperationGetOperand(s->op, s->operand++);
    if (!value.ptr || !api->mlirValueIsAOpResult(value)) continue;
    MlirOperation definer = api->mlirOpResultGetOwner(value);
    uintptr_t known = *slot(t, (uintptr_t)definer.ptr);
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
    uintptr_t known = *slot(t, (uintptr_t)op.ptr);
    if (known & OPEN) return op;
    if (!known) enter(t, op);
    return none;
  }
  if (api->mlirOperationGetNumResults(s->op) > 0) mark(t, s->op, 0);
  t->depth--;
  return none;
}

// trace follows the paths from op and returns an operation that is reached again, or null.
static MlirOperation trace(tracer* t, MlirOperation op) {
  MlirOperation found = {NULL};
  if (*slot(t, (uintptr_t)op.ptr)) return found;
  enter(t, op);
  while (t->depth > 0 && !t->failed && !found.ptr) found = advance(t);
  return found;
}

// uses_only_done reports whether all operands of op are defined by operations that are done.
static bool uses_only_done(tracer* t, MlirOperation op) {
  for (intptr_t i = 0, n = t->api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue value = t->api->mlirOperationGetOperand(op, i);
    if (!value.ptr || !t->api->mlirValueIsAOpResult(value)) continue;
    uintptr_t known = *slot(t, (uintptr_t)t->api->mlirOpResultGetOwner(value).ptr);
    if (!known || known & OPEN) return false;
  }
  return true;
}

// cycle visits the operations in root. An operation is done after all that are in it. There
// is no cycle if each one uses only operations that were done before it, so paths are
// followed only from others.
static MlirOperation cycle(const void* api, MlirOperation root, bool* failed) {
  tracer t = {.api = api, .root = root, .capacity = 1 << 10};
  MlirOperation found = {NULL}, op = root;
  t.seen = calloc(t.capacity, sizeof *t.seen);
  t.failed = !t.seen;
  while (op.ptr && !t.failed) {
    if (!uses_only_done(&t, op)) found = trace(&t, op);
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

// Cycle returns an operation in root, or root itself, that uses its own result: directly,
// through other operations, or in its regions. All of these are registered and in root. It
// returns null if there is none.
func Cycle(t *Table, root MlirOperation) MlirOperation {
	var failed C.bool
	t.enter()
	op := C.cycle(t.pointer(), operationToC(root), &failed)
	t.leave()
	if failed {
		panic("capi: out of memory while looking for a cycle")
	}
	return operationFromC(op)
}
