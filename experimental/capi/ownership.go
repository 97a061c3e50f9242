package capi

/*
#include "buffer.h"
#include "tops.h"
#include "walk.h"

// A thing is an operation, a block, a region or a value.
typedef struct {
  void* raw;
  intptr_t kind;
} thing;

// inside reports whether an operation is raw or in raw.
static bool inside(table api, MlirOperation op, void* raw) {
  for (;;) {
    if (op.ptr == raw) return true;
    MlirBlock block = api->mlirOperationGetBlock(op);
    if (!block.ptr) return false;
    if (block.ptr == raw || api->mlirBlockGetParentRegion(block).ptr == raw) return true;
    op = api->mlirBlockGetParentOperation(block);
    if (!op.ptr) return false;
  }
}

static bool block_inside(table api, MlirBlock block, void* raw) {
  if (block.ptr == raw || api->mlirBlockGetParentRegion(block).ptr == raw) return true;
  MlirOperation parent = api->mlirBlockGetParentOperation(block);
  return parent.ptr && inside(api, parent, raw);
}

// A visitor visits all operations, values, blocks and regions in a tree.
typedef struct visitor {
  table api;
  void* root;
  void* from;             // sever: the tree to cut off, NULL for all that is outside
  MlirBlock made;         // sever, mend: the block whose arguments are the replacements
  MlirOperation user;     // outside_use, stray: what was found
  MlirValue used;
  thing* seen;            // gather
  size_t n, capacity;
  bool failed;            // gather: there is no memory; branch_to: a block is branched to
  bool (*value)(struct visitor*, MlirValue);         // false ends the walk
  bool (*operation)(struct visitor*, MlirOperation);
  void (*thing)(struct visitor*, void*, int kind);
} visitor;

static bool visit_block(visitor* v, MlirBlock block);

static bool visit_region(visitor* v, MlirRegion region) {
  if (v->thing) v->thing(v, region.ptr, REGION);
  for (MlirBlock b = v->api->mlirRegionGetFirstBlock(region); b.ptr;) {
    MlirBlock next = v->api->mlirBlockGetNextInRegion(b);
    if (!visit_block(v, b)) return false;
    b = next;
  }
  return true;
}

static bool visit_operation(visitor* v, MlirOperation op) {
  table api = v->api;
  if (v->thing) v->thing(v, op.ptr, OPERATION);
  if (v->operation && !v->operation(v, op)) return false;
  if (v->value)
    for (intptr_t i = 0, n = api->mlirOperationGetNumResults(op); i < n; i++)
      if (!v->value(v, api->mlirOperationGetResult(op, i))) return false;
  for (intptr_t i = 0, n = api->mlirOperationGetNumRegions(op); i < n; i++)
    if (!visit_region(v, api->mlirOperationGetRegion(op, i))) return false;
  return true;
}

static bool visit_block(visitor* v, MlirBlock block) {
  table api = v->api;
  if (v->thing) v->thing(v, block.ptr, BLOCK);
  if (v->value)
    for (intptr_t i = 0, n = api->mlirBlockGetNumArguments(block); i < n; i++)
      if (!v->value(v, api->mlirBlockGetArgument(block, i))) return false;
  for (MlirOperation op = api->mlirBlockGetFirstOperation(block); op.ptr;) {
    MlirOperation next = api->mlirOperationGetNextInBlock(op);
    if (!visit_operation(v, op)) return false;
    op = next;
  }
  return true;
}

static bool visit(visitor* v, int kind, void* raw) {
  if (kind == OPERATION) return visit_operation(v, (MlirOperation){raw});
  if (kind == BLOCK) return visit_block(v, (MlirBlock){raw});
  return visit_region(v, (MlirRegion){raw});
}

static bool value_used_outside(visitor* v, MlirValue value) {
  for (MlirOpOperand use = v->api->mlirValueGetFirstUse(value); !v->api->mlirOpOperandIsNull(use);
       use = v->api->mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = v->api->mlirOpOperandGetOwner(use);
    if (!inside(v->api, owner, v->root)) {
      v->user = owner;
      v->used = value;
      return false;
    }
  }
  return true;
}

static MlirBlock made(visitor* v) {
  if (!v->made.ptr) v->made = v->api->mlirBlockCreate(0, NULL, NULL);
  return v->made;
}

static bool replace_outside_uses_by(visitor* v, MlirOperation op) {
  table api = v->api;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue operand = api->mlirOperationGetOperand(op, i);
    if (!operand.ptr) continue;
    void* top = value_top(api, operand);
    if (v->from ? top != v->from : top == v->root) continue;
    api->mlirOperationSetOperand(op, i,
        api->mlirBlockAddArgument(made(v), api->mlirValueGetType(operand), api->mlirOperationGetLocation(op)));
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++) {
    void* top = block_top(api, api->mlirOperationGetSuccessor(op, i));
    if (v->from ? top == v->from : top != v->root) api->mlirOperationSetSuccessor(op, i, made(v));
  }
  return true;
}

static bool uses_outside(visitor* v, MlirOperation op) {
  table api = v->api;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue operand = api->mlirOperationGetOperand(op, i);
    void* top = operand.ptr ? value_top(api, operand) : NULL;
    if (top && top != v->root && top != v->from) {
      v->user = op;
      v->used = operand;
      return false;
    }
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++) {
    void* top = block_top(api, api->mlirOperationGetSuccessor(op, i));
    if (top != v->root && top != v->from) {
      v->user = op;
      return false;
    }
  }
  return true;
}

static void gather_thing(visitor* v, void* raw, int kind) {
  thing* seen = grow(v->seen, &v->capacity, v->n + 1, sizeof *seen);
  if (!seen) {
    v->failed = true;
    return;
  }
  v->seen = seen;
  v->seen[v->n++] = (thing){raw, kind};
}

static bool gather_value(visitor* v, MlirValue value) {
  gather_thing(v, value.ptr, VALUE);
  return true;
}

static MlirOperation outside_use(const void* t, int kind, void* raw, MlirValue* used) {
  visitor v = {.api = t, .root = raw, .value = value_used_outside};
  visit(&v, kind, raw);
  *used = v.used;
  return v.user;
}

static MlirOperation user_of_outside(const void* t, int kind, void* raw, void* other) {
  visitor v = {.api = t, .root = raw, .from = other, .operation = uses_outside};
  visit(&v, kind, raw);
  return v.user;
}

static bool branches_in(visitor* v, MlirOperation op) {
  table api = v->api;
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++) {
    if (block_inside(api, api->mlirOperationGetSuccessor(op, i), v->root) && !inside(api, op, v->root)) {
      v->user = op;
      return false;
    }
  }
  return true;
}

static void find_branched_to(visitor* v, void* raw, int kind) {
  if (kind == BLOCK && v->api->mlirBlockGetNumPredecessors((MlirBlock){raw}) > 0) v->failed = true;
}

// branch_to visits all of the tree top, unless the library can tell that nothing branches to a block in raw.
static MlirOperation branch_to(const void* t, int kind, void* raw, int top_kind, void* top) {
  visitor v = {.api = t, .root = raw, .operation = branches_in};
  visitor blocks = {.api = t, .thing = find_branched_to};
  if (v.api->mlirBlockGetNumPredecessors) {
    visit(&blocks, kind, raw);
    if (!blocks.failed) return v.user;
  }
  visit(&v, top_kind, top);
  return v.user;
}

static bool replace_null_uses_by(visitor* v, MlirOperation op) {
  table api = v->api;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++)
    if (!api->mlirOperationGetOperand(op, i).ptr) {
      MlirType none = api->mlirNoneTypeGet(api->mlirOperationGetContext(op));
      api->mlirOperationSetOperand(op, i, api->mlirBlockAddArgument(made(v), none, api->mlirOperationGetLocation(op)));
    }
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++)
    if (!api->mlirOperationGetSuccessor(op, i).ptr) api->mlirOperationSetSuccessor(op, i, made(v));
  return true;
}

static MlirBlock replace_null_uses(const void* t, int kind, void* raw) {
  visitor v = {.api = t, .operation = replace_null_uses_by};
  visit(&v, kind, raw);
  return v.made;
}

static MlirBlock replace_outside_uses(const void* t, int kind, void* raw, void* from) {
  visitor v = {.api = t, .root = raw, .from = from, .operation = replace_outside_uses_by};
  visit(&v, kind, raw);
  return v.made;
}

// gather_definers adds the operations outside of root that define an operand of op with at
// most one use outside of root.
static bool gather_definers(visitor* v, MlirOperation op) {
  table api = v->api;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue operand = api->mlirOperationGetOperand(op, i);
    if (!operand.ptr || !api->mlirValueIsAOpResult(operand)) continue;
    MlirOperation owner = api->mlirOpResultGetOwner(operand);
    if (inside(api, owner, v->root)) continue;
    int others = 0;
    for (MlirOpOperand use = api->mlirValueGetFirstUse(operand); others < 2 && !api->mlirOpOperandIsNull(use);
         use = api->mlirOpOperandGetNextUse(use))
      others += !inside(api, api->mlirOpOperandGetOwner(use), v->root);
    if (others < 2) gather_thing(v, owner.ptr, OPERATION);
  }
  return true;
}

static bool placed(table api, MlirBlock block) {
  return block.ptr && api->mlirBlockGetParentOperation(block).ptr;
}

static bool operation_unplaced(visitor* v, MlirOperation op) {
  table api = v->api;
  if (op.ptr == v->root) return true;
  v->user = op;
  for (intptr_t i = 0, n = api->mlirOperationGetNumOperands(op); i < n; i++) {
    MlirValue operand = api->mlirOperationGetOperand(op, i);
    if (operand.ptr && !placed(api, api->mlirValueIsABlockArgument(operand)
                                        ? api->mlirBlockArgumentGetOwner(operand)
                                        : api->mlirOperationGetBlock(api->mlirOpResultGetOwner(operand))))
      return false;
  }
  for (intptr_t i = 0, n = api->mlirOperationGetNumSuccessors(op); i < n; i++)
    if (!placed(api, api->mlirOperationGetSuccessor(op, i))) return false;
  v->user.ptr = NULL;
  return true;
}

static MlirOperation unplaced(const void* t, MlirOperation op) {
  visitor v = {.api = t, .root = op.ptr, .operation = operation_unplaced};
  visit_operation(&v, op);
  return v.user;
}

static thing* definers(const void* t, int kind, void* raw, size_t* n, bool* failed) {
  visitor v = {.api = t, .root = raw, .operation = gather_definers};
  visit(&v, kind, raw);
  *n = v.n;
  *failed = v.failed;
  return v.seen;
}

static bool is_inside(const void* t, MlirOperation op, void* raw) { return inside(t, op, raw); }

static bool is_in(const void* t, int kind, void* raw, MlirOperation op) {
  if (kind == OPERATION) return inside(t, (MlirOperation){raw}, op.ptr);
  if (kind == BLOCK) return block_inside(t, (MlirBlock){raw}, op.ptr);
  MlirOperation parent = region_parent(t, (MlirRegion){raw});
  return parent.ptr && inside(t, parent, op.ptr);
}

static bool region_in(const void* t, MlirRegion region, void* raw) {
  MlirOperation parent = region_parent(t, region);
  return parent.ptr && inside(t, parent, raw);
}

static void* outermost(const void* t, int kind, void* raw) { return top_of(t, kind, raw); }

static bool together(const void* t, MlirOperation op, MlirValue v) {
  table api = t;
  MlirBlock block = value_block(api, v);
  return block.ptr && block.ptr == api->mlirOperationGetBlock(op).ptr || value_top(api, v) == operation_top(api, op);
}

// within moves those of n things to the front that are in the tree top, and counts them.
static size_t within(const void* t, thing* things, size_t n, void* top) {
  table api = t;
  size_t found = 0;
  MlirBlock last = {NULL};  // most things are in the same blocks
  bool last_is_in = false;
  for (size_t i = 0; i < n; i++) {
    thing it = things[i];
    MlirBlock block = {NULL};
    if (it.kind == OPERATION) block = api->mlirOperationGetBlock((MlirOperation){it.raw});
    if (it.kind == VALUE) block = value_block(api, (MlirValue){it.raw});
    bool is_in = block.ptr && block.ptr == last.ptr ? last_is_in : top_of(api, it.kind, it.raw) == top;
    if (block.ptr) {
      last = block;
      last_is_in = is_in;
    }
    if (is_in) {
      things[i] = things[found];
      things[found++] = it;
    }
  }
  return found;
}

static thing* gather(const void* t, int kind, void* raw, size_t* n, bool* failed) {
  visitor v = {.api = t, .root = raw, .thing = gather_thing, .value = gather_value};
  visit(&v, kind, raw);
  *n = v.n;
  *failed = v.failed;
  return v.seen;
}
*/
import "C"

import "unsafe"

// Kind is the kind of object that a pointer into the IR points to.
type Kind int

const (
	OperationKind Kind = C.OPERATION
	BlockKind     Kind = C.BLOCK
	RegionKind    Kind = C.REGION
	ValueKind     Kind = C.VALUE
)

// Thing is an operation, a block, a region or a value.
type Thing struct {
	Ptr  unsafe.Pointer
	Kind Kind
}

func operationFromC(op C.MlirOperation) MlirOperation { return *(*MlirOperation)(unsafe.Pointer(&op)) }

func operationToC(o MlirOperation) C.MlirOperation { return *(*C.MlirOperation)(unsafe.Pointer(&o)) }

func blockFromC(b C.MlirBlock) MlirBlock { return *(*MlirBlock)(unsafe.Pointer(&b)) }

func blockToC(b MlirBlock) C.MlirBlock { return *(*C.MlirBlock)(unsafe.Pointer(&b)) }

// Top returns the outermost operation, block or region that contains an object, which is the
// object itself if it is detached.
func Top(t *Table, kind Kind, raw unsafe.Pointer) unsafe.Pointer {
	t.enter()
	defer t.leave()
	return C.outermost(t.pointer(), C.int(kind), raw)
}

// OutsideUse returns an operation outside of raw that uses a value defined in raw, and that
// value. They are null if there is none.
func OutsideUse(t *Table, kind Kind, raw unsafe.Pointer) (MlirOperation, MlirValue) {
	var used C.MlirValue
	t.enter()
	defer t.leave()
	op := C.outside_use(t.pointer(), C.int(kind), raw, &used)
	return operationFromC(op), *(*MlirValue)(unsafe.Pointer(&used))
}

// UserOfOutside returns an operation in raw, which is detached, that uses a value or
// branches to a block that is neither in raw nor in other. It returns null if there is
// none.
func UserOfOutside(t *Table, kind Kind, raw, other unsafe.Pointer) MlirOperation {
	t.enter()
	defer t.leave()
	return operationFromC(C.user_of_outside(t.pointer(), C.int(kind), raw, other))
}

// BranchTo returns an operation in the tree top, outside of raw, that branches to raw or to a
// block in raw. It returns null if there is none.
func BranchTo(t *Table, kind Kind, raw unsafe.Pointer, topKind Kind, top unsafe.Pointer) MlirOperation {
	t.enter()
	defer t.leave()
	return operationFromC(C.branch_to(t.pointer(), C.int(kind), raw, C.int(topKind), top))
}

// ReplaceOutsideUses replaces the operands and successors of a detached tree that are in
// the tree from, or anywhere outside if from is nil, by arguments of a new block and by
// that block. It returns the block, which must be destroyed after the tree, or null if
// there was nothing to replace.
func ReplaceOutsideUses(t *Table, kind Kind, raw, from unsafe.Pointer) MlirBlock {
	t.enter()
	defer t.leave()
	return blockFromC(C.replace_outside_uses(t.pointer(), C.int(kind), raw, from))
}

// Unplaced returns an operation in op that uses a value or branches to a block that is in no
// operation, or null if there is none. The verifier would crash on it.
func Unplaced(t *Table, op MlirOperation) MlirOperation {
	t.enter()
	defer t.leave()
	return operationFromC(C.unplaced(t.pointer(), operationToC(op)))
}

// ReplaceNullUses replaces null operands and successors by arguments of a new block and by
// that block: the library removes operands and successors of an invalid tree. It returns
// the block, which must be destroyed after the tree, or null if there was nothing to
// replace.
func ReplaceNullUses(t *Table, kind Kind, raw unsafe.Pointer) MlirBlock {
	t.enter()
	defer t.leave()
	return blockFromC(C.replace_null_uses(t.pointer(), C.int(kind), raw))
}

// Together reports whether a value and an operation are in the same outermost object.
func Together(t *Table, op MlirOperation, v MlirValue) bool {
	t.enter()
	defer t.leave()
	return bool(C.together(t.pointer(), operationToC(op), *(*C.MlirValue)(unsafe.Pointer(&v))))
}

// Within moves the things that are in an outermost object to the front, and returns their
// number.
func Within(t *Table, things []Thing, top unsafe.Pointer) int {
	t.enter()
	defer t.leave()
	return int(C.within(t.pointer(), (*C.thing)(unsafe.Pointer(unsafe.SliceData(things))), C.size_t(len(things)), top))
}

// Gather returns everything in a tree: operations, blocks, regions and values.
func Gather(t *Table, kind Kind, raw unsafe.Pointer) []Thing {
	var n C.size_t
	var failed C.bool
	t.enter()
	defer t.leave()
	return things(C.gather(t.pointer(), C.int(kind), raw, &n, &failed), &n, &failed)
}

// Definers returns the operations outside a tree whose results are used in it, and by
// one operation elsewhere at most. One may be listed more than once.
func Definers(t *Table, kind Kind, raw unsafe.Pointer) []Thing {
	var n C.size_t
	var failed C.bool
	t.enter()
	defer t.leave()
	return things(C.definers(t.pointer(), C.int(kind), raw, &n, &failed), &n, &failed)
}

// things copies what C has gathered and frees that.
func things(seen *C.thing, n *C.size_t, failed *C.bool) []Thing {
	defer C.free(unsafe.Pointer(seen))
	if *failed {
		panic("capi: out of memory while walking a tree")
	}
	return append([]Thing(nil), unsafe.Slice((*Thing)(unsafe.Pointer(seen)), int(*n))...)
}

// Inside reports whether an operation is raw or in raw. It returns false for a null
// operation.
func Inside(t *Table, op MlirOperation, raw unsafe.Pointer) bool {
	t.enter()
	defer t.leave()
	return op.Ptr != nil && bool(C.is_inside(t.pointer(), operationToC(op), raw))
}

// RegionIn reports whether a region is in an operation, block or other region.
func RegionIn(t *Table, region MlirRegion, raw unsafe.Pointer) bool {
	t.enter()
	defer t.leave()
	return bool(C.region_in(t.pointer(), *(*C.MlirRegion)(unsafe.Pointer(&region)), raw))
}

// IsIn reports whether something is, or is in, an operation.
func IsIn(t *Table, kind Kind, raw unsafe.Pointer, op MlirOperation) bool {
	t.enter()
	defer t.leave()
	return bool(C.is_in(t.pointer(), C.int(kind), raw, operationToC(op)))
}
