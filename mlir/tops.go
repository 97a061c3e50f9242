package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Every operation, block and region is in exactly one outermost object: a module, or a
// detached object. Context.tops has all of them, and Context.Close destroys those that are
// left. topOf asks the library for the outermost object.
//
// An operation's operands and successors are in its outermost object, with these
// exceptions:
//
//  1. A detached object may use other objects, which top.uses records. Before a used
//     object is freed or given to passes, replaceUsesOf replaces these uses. A module
//     accepts a detached object only if everything that it uses is in the module.
//  2. A module may use objects that were detached from it. Such an object cannot be erased,
//     and can be added only to that module.
//  3. A use that was replaced uses a placeholder, which is in no outermost object.

// top is an outermost operation, block or region.
type top struct {
	kind     capi.Kind
	raw      pointer
	module   *moduleState // of the Module whose operation it is; nil if detached
	uses     *top         // what a detached object uses; nil for nothing, elsewhere if unknown
	from     *top         // what it was detached from, or nil
	parted   bool         // objects were detached from it, and it may still use them
	joined   *top         // the object that it was added to
	borrowed bool         // C code owns it
	maker    uint64       // the number of the call of a pass or pattern that created it, or 0
	// placeholders are blocks whose arguments replace operands, and which replace
	// successors.
	placeholders []capi.MlirBlock
}

// elsewhere is the value of top.uses if the object may use several others.
var elsewhere = &top{}

// root returns the top that t is part of.
func (t *top) root() *top {
	for t.joined != nil {
		if t.joined.joined != nil {
			t.joined = t.joined.joined // shorten the path
		}
		t = t.joined
	}
	return t
}

// shown reports whether there may be handles to objects in an outermost object.
func (c *Context) shown(t *top) bool {
	return t.module == nil || t.module.shown || c.calls.current != nil
}

// newTop records a detached object.
func (c *Context) newTop(kind capi.Kind, raw pointer) *top {
	t := &top{kind: kind, raw: raw, maker: c.calls.current.id()}
	c.tops[raw] = t
	return t
}

// drop removes an object that is not outermost any more.
func (c *Context) drop(t *top) {
	delete(c.tops, t.raw)
	delete(c.users, t)
}

// topOf returns the outermost object that contains an object, or nil if it is in a
// placeholder.
func (c *Context) topOf(kind capi.Kind, raw pointer) *top {
	return c.tops[capi.Top(c.api, kind, raw)]
}

// single reports whether there is only one outermost object.
func (c *Context) single() bool { return len(c.tops) == 1 && c.placeholders == 0 }

// detached records an object that was just detached from out.
func (c *Context) detached(kind capi.Kind, raw pointer, out *top) {
	t := c.newTop(kind, raw)
	t.maker = 0 // there may be older handles to objects in it
	t.from = out
	c.setUses(t, out) // what it uses may still be there
	out.parted = true
	if out.module == nil {
		c.setUses(out, elsewhere) // and out may use the object
	}
}

// setUses records what a detached object may use.
func (c *Context) setUses(t, other *top) {
	t.uses = other
	c.users[t] = true
}

// use records that a detached object may use another one.
func (c *Context) use(t, other *top) {
	switch other = other.root(); {
	case other == t:
	case t.uses == nil:
		c.setUses(t, other)
	case t.uses.root() != other:
		c.setUses(t, elsewhere)
	}
}

// sameTop panics if an operand of o would be in another module than o.
func (c *Context) sameTop(o Operation, v Value, method string) {
	if c.single() || capi.Together(c.api, o.raw, v.raw) {
		return
	}
	to, from := c.topOf(capi.OperationKind, o.raw.Ptr), c.topOf(capi.ValueKind, v.raw.Ptr)
	switch {
	case to == nil:
	case to.module != nil:
		panic("mlir: " + method + " was given a value that is not in the module of the operation")
	case from == nil:
		c.setUses(to, elsewhere)
	default:
		c.use(to, from)
	}
}

// joinable returns the top of a detached object that is about to be added to home. It
// panics if it cannot be added.
func (c *Context) joinable(kind capi.Kind, raw pointer, home *top, what, method string) *top {
	t, ok := c.tops[raw]
	switch {
	case !ok || t.kind != kind:
		panic("mlir: " + method + " was given " + what) // adding it twice would make the library's lists cyclic
	case t.module != nil:
		panic("mlir: " + method + " was given the operation of a Module, which owns it: clone it")
	case t == home && kind == capi.BlockKind:
		panic("mlir: " + method + " was asked to put a block into itself")
	case t == home:
		panic("mlir: " + method + " was asked to put an operation into itself")
	}
	c.calls.mayJoin(raw, method)
	if t.uses != nil {
		c.compatible(t, home, method)
	}
	if t.from != nil && t.from.root() != home {
		if op, _ := capi.OutsideUse(c.api, kind, raw); op.Ptr != nil {
			panic(fmt.Sprintf("mlir: %s was given a detached object that is still used where it was, by %s",
				method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
		}
	}
	return t
}

// compatible panics if an object that uses values of one module would be added to another.
// Closing the first module would leave dangling pointers in the second.
func (c *Context) compatible(t, home *top, method string) {
	uses := t.uses.root()
	if !uses.parted && (uses == home || uses == t) {
		return
	}
	if home.module == nil {
		c.use(home, uses)
		return
	}
	if op := capi.UserOfOutside(c.api, t.kind, t.raw, home.raw); op.Ptr != nil {
		panic(fmt.Sprintf("mlir: %s was given %s, which uses a value or block that is not in the module: add that first",
			method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
	}
}

// join records that a detached object is now part of home.
func (c *Context) join(t, home *top) {
	c.giveAll(t)
	c.drop(t)
	t.joined = home
	home.parted = home.parted || t.parted
	home.placeholders = append(home.placeholders, t.placeholders...)
	t.placeholders = nil
}

// giveAll records that the current pass or pattern may have handles to the objects in t.
func (c *Context) giveAll(t *top) {
	if call := c.calls.current; call != nil && t.maker != call.number {
		call.give(c.gather(t)...)
	}
}

// gather returns all objects in a top.
func (c *Context) gather(t *top) []capi.Thing {
	things := capi.Gather(c.api, t.kind, t.raw)
	for _, block := range t.placeholders {
		things = append(things, capi.Gather(c.api, capi.BlockKind, block.Ptr)...)
	}
	return things
}

// end destroys an outermost object.
func (c *Context) end(t *top, how string) {
	c.drop(t)
	if len(c.tops) == 0 {
		c.renew(nil, how)
	} else if c.shown(t) {
		c.forget(c.gather(t), how)
	}
	c.last = known{}
	c.replaceUsesOf(t.raw)
	if t.borrowed {
		c.placeholders -= len(t.placeholders) // the module still uses them
		return
	}
	destroy(c.api, t.kind, t.raw)
	c.dropPlaceholders(t)
}

func (c *Context) dropPlaceholders(t *top) {
	for _, block := range t.placeholders {
		c.replaceUsesOf(block.Ptr)
		capi.MlirBlockDestroy(c.api, block)
	}
	c.placeholders -= len(t.placeholders)
}

// erase destroys an object in a block or region. Nothing outside may use it.
func (c *Context) erase(kind capi.Kind, raw pointer, by string) {
	t := c.api
	c.forget(capi.Gather(t, kind, raw), erasedBy(by))
	c.unlink(kind, raw)
	destroy(c.api, kind, raw)
}

// unlink removes an object that is about to be destroyed from its block or region.
func (c *Context) unlink(kind capi.Kind, raw pointer) {
	if kind == capi.BlockKind {
		capi.MlirBlockDetach(c.api, capi.MlirBlock{Ptr: raw})
		c.replaceUsesOf(raw)
		return
	}
	op := capi.MlirOperation{Ptr: raw}
	capi.MlirOperationRemoveFromParent(c.api, op)
	if capi.MlirOperationGetNumRegions(c.api, op) > 0 {
		c.replaceUsesOf(raw) // a detached object may branch to a block in it
	}
}

func destroy(t *capi.Table, kind capi.Kind, raw pointer) {
	switch kind {
	case capi.OperationKind:
		op := capi.MlirOperation{Ptr: raw}
		if capi.MlirOperationGetNumRegions(t, op) < 2 {
			capi.MlirOperationDestroy(t, op)
			return
		}
		// The library frees one region after the other without checking whether a later one
		// uses values of an earlier one. When it frees a block, it drops all uses first.
		block := capi.MlirBlockCreate(t, 0, nil, nil)
		capi.MlirBlockAppendOwnedOperation(t, block, op)
		capi.MlirBlockDestroy(t, block)
	case capi.BlockKind:
		capi.MlirBlockDestroy(t, capi.MlirBlock{Ptr: raw})
	case capi.RegionKind:
		capi.MlirRegionDestroy(t, capi.MlirRegion{Ptr: raw})
	}
}

// replaceUsesOf replaces the values and blocks of an outermost object that detached objects
// use. The outermost object is about to be destroyed or changed.
func (c *Context) replaceUsesOf(from pointer) {
	for t := range c.users {
		if t.module == nil && t.raw != from && c.tops[t.raw] == t {
			c.addPlaceholder(t, capi.ReplaceOutsideUses(c.api, t.kind, t.raw, from))
		}
	}
}

// replaceNullUses replaces operands and successors that the library removed because it took
// the operations for unreachable. This happens to operations that Go code made invalid.
func (c *Context) replaceNullUses(t *top) {
	if block := capi.ReplaceNullUses(c.api, t.kind, t.raw); block.Ptr != nil {
		c.addPlaceholder(t, block)
		t.parted = true
	}
}

// addPlaceholder records a block, if not nil, whose arguments now replace operands in t.
func (c *Context) addPlaceholder(t *top, block capi.MlirBlock) {
	if block.Ptr != nil {
		t.placeholders = append(t.placeholders, block)
		c.placeholders++
	}
}

// branch returns an operation outside that branches into the object, or the nil Operation.
func (c *Context) branch(kind capi.Kind, raw pointer) Operation {
	t := c.topOf(kind, raw)
	if t == nil {
		return Operation{}
	}
	return c.operation(capi.BranchTo(c.api, kind, raw, t.kind, t.raw))
}

// unused returns an error that names a use if an object that is about to be erased is used
// outside.
func (c *Context) unused(kind capi.Kind, raw pointer, what string) error {
	op, used := capi.OutsideUse(c.api, kind, raw)
	if op.Ptr == nil {
		return nil
	}
	user, v := c.operation(op), c.value(used)
	which := "a value in it"
	if owner := v.Owner(); !owner.IsNil() && owner.raw.Ptr == raw {
		which = fmt.Sprintf("its result %d", v.Index())
	}
	return fmt.Errorf("mlir: %s cannot be erased: %s is used by %s at %s",
		what, which, user.Name(), user.Location().Position())
}

// destroyAll destroys all IR of a context. Modules come first, because they may use
// objects that were detached from them.
func destroyAll(api *capi.Table, tops map[pointer]*top) {
	var detached []*top
	for _, t := range tops {
		if t.module == nil {
			if block := capi.ReplaceOutsideUses(api, t.kind, t.raw, nil); block.Ptr != nil {
				t.placeholders = append(t.placeholders, block)
			}
			detached = append(detached, t)
		}
	}
	left := slices.Clone(detached)
	for _, t := range tops {
		if t.module != nil && !t.borrowed {
			destroy(api, t.kind, t.raw)
			left = append(left, t)
		}
	}
	for _, t := range detached {
		destroy(api, t.kind, t.raw)
	}
	for _, t := range left {
		for _, block := range t.placeholders {
			capi.MlirBlockDestroy(api, block)
		}
	}
}
