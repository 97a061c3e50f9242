package mlir

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Every operation, block and region is in exactly one outermost thing: a module, or
// something detached. Context.tops has all of them, and Context.Close destroys those that
// are left. Which one something is in, the library is asked: see topOf.
//
// What an operation uses, and what it branches to, is in the same outermost thing, but for:
//
//  1. Something detached may use others: top.uses says so. It is cut off from what is freed
//     or given to passes (see cutOff), and a module takes it only if all that it uses is
//     there.
//  2. A module may use what was detached from it. That is not erased meanwhile, and goes
//     nowhere but back.
//  3. What was cut off uses placeholders, which are in no outermost thing.

// top is an outermost operation, block or region.
type top struct {
	kind     capi.Kind
	raw      pointer
	module   *Module // whose operation it is; nil for what is detached
	uses     *top    // what something detached uses; nil for nothing, elsewhere if that is not known
	from     *top    // what it was detached from, nil for nothing
	parted   bool    // things were detached from it, and it may still use them
	joined   *top    // what it has become part of
	borrowed bool    // C code owns it
	maker    *call   // the pass or pattern that was called when it became one, nil for none
	// placeholders are blocks whose arguments have replaced operands, and which have
	// replaced successors.
	placeholders []capi.MlirBlock
}

// elsewhere is what a top uses if it may use several others.
var elsewhere = &top{}

// root is the top that t has become part of.
func (t *top) root() *top {
	for t.joined != nil {
		if t.joined.joined != nil {
			t.joined = t.joined.joined // shorter the next time
		}
		t = t.joined
	}
	return t
}

// shown reports whether there may be handles to what is in it.
func (t *top) shown() bool {
	return t.module == nil || t.module.shown || t.module.ctx.calls.current != nil
}

// newTop notes something detached.
func (c *Context) newTop(kind capi.Kind, raw pointer) *top {
	t := &top{kind: kind, raw: raw, maker: c.calls.current}
	c.tops[raw] = t
	return t
}

// topOf is the outermost thing that something is in, nil for what is in a placeholder.
func (c *Context) topOf(kind capi.Kind, raw pointer) *top {
	return c.tops[capi.Top(c.api, kind, raw)]
}

// single reports whether everything is in one outermost thing, and so need not be asked.
func (c *Context) single() bool { return len(c.tops) == 1 && c.placeholders == 0 }

// detached notes something that was just taken out of an outermost thing.
func (c *Context) detached(kind capi.Kind, raw pointer, out *top) {
	t := c.newTop(kind, raw)
	t.maker = nil             // there may be older handles to what is in it
	t.from, t.uses = out, out // what it uses may still be there
	out.parted = true
	if out.module == nil {
		out.uses = elsewhere // and what stayed may use it
	}
}

// use notes that something detached may use what is in another top.
func (t *top) use(other *top) {
	switch other = other.root(); {
	case other == t:
	case t.uses == nil:
		t.uses = other
	case t.uses.root() != other:
		t.uses = elsewhere
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
		panic("mlir: " + method + " was given a value that does not stand in the module of the operation")
	case from == nil:
		to.uses = elsewhere
	default:
		to.use(from)
	}
}

// joinable returns the top of something detached that is to become a part of home. It
// panics if it cannot; what says so of something that is not detached.
func (c *Context) joinable(kind capi.Kind, raw pointer, home *top, what, method string) *top {
	t, ok := c.tops[raw]
	switch {
	case !ok || t.kind != kind:
		panic("mlir: " + method + " was given " + what) // added twice, it would make the library's lists loop for ever
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
			panic(fmt.Sprintf("mlir: %s was given something that is still used where it was, by %s",
				method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
		}
	}
	return t
}

// compatible panics if something that uses values of one module would be put into another:
// closing the first would leave the second with wild pointers.
func (c *Context) compatible(t, home *top, method string) {
	uses := t.uses.root()
	if !uses.parted && (uses == home || uses == t) {
		return
	}
	if home.module == nil {
		home.use(uses)
		return
	}
	if op := capi.Stray(c.api, t.kind, t.raw, home.raw); op.Ptr != nil {
		panic(fmt.Sprintf("mlir: %s was given %s, which uses something that stands elsewhere: add that first",
			method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
	}
}

// join makes something detached a part of home.
func (c *Context) join(t, home *top) {
	c.giveAll(t)
	delete(c.tops, t.raw)
	t.joined = home
	home.parted = home.parted || t.parted
	home.placeholders = append(home.placeholders, t.placeholders...)
	t.placeholders = nil
}

// giveAll notes that the pass or pattern under way may have handles to what is in t.
func (c *Context) giveAll(t *top) {
	if call := c.calls.current; call != nil && t.maker != call {
		call.give(c.gather(t)...)
	}
}

// gather returns everything in a top.
func (c *Context) gather(t *top) []capi.Thing {
	things := capi.Gather(c.api, t.kind, t.raw)
	for _, block := range t.placeholders {
		things = append(things, capi.Gather(c.api, capi.BlockKind, block.Ptr)...)
	}
	return things
}

// end destroys an outermost thing.
func (c *Context) end(t *top, how string) {
	delete(c.tops, t.raw)
	if len(c.tops) == 0 {
		c.renew(nil, how)
	} else if t.shown() {
		c.forget(c.gather(t), how)
	}
	c.last = known{}
	c.cutOff(t.raw)
	if t.borrowed {
		c.placeholders -= len(t.placeholders) // they stay, for what is not destroyed
		return
	}
	c.destroy(t.kind, t.raw)
	c.dropPlaceholders(t)
}

func (c *Context) dropPlaceholders(t *top) {
	for _, block := range t.placeholders {
		c.cutOff(block.Ptr)
		capi.MlirBlockDestroy(c.api, block)
	}
	c.placeholders -= len(t.placeholders)
}

// erase destroys something in a block or region that nothing outside of it uses.
func (c *Context) erase(kind capi.Kind, raw pointer, by string) {
	t := c.api
	c.forget(capi.Gather(t, kind, raw), erasedBy(by))
	c.takeOut(kind, raw)
	c.destroy(kind, raw)
}

// takeOut takes something that is about to be destroyed out of its block or region.
func (c *Context) takeOut(kind capi.Kind, raw pointer) {
	if kind == capi.BlockKind {
		capi.MlirBlockDetach(c.api, capi.MlirBlock{Ptr: raw})
		c.cutOff(raw)
		return
	}
	op := capi.MlirOperation{Ptr: raw}
	capi.MlirOperationRemoveFromParent(c.api, op)
	if capi.MlirOperationGetNumRegions(c.api, op) > 0 {
		c.cutOff(raw) // something detached may branch to a block in it
	}
}

func (c *Context) destroy(kind capi.Kind, raw pointer) {
	switch t := c.api; kind {
	case capi.OperationKind:
		op := capi.MlirOperation{Ptr: raw}
		if capi.MlirOperationGetNumRegions(t, op) < 2 {
			capi.MlirOperationDestroy(t, op)
			return
		}
		// The library frees one region after the other, and does not look whether the
		// next one uses what was in the first. Of a block it drops all uses before.
		block := capi.MlirBlockCreate(t, 0, nil, nil)
		capi.MlirBlockAppendOwnedOperation(t, block, op)
		capi.MlirBlockDestroy(t, block)
	case capi.BlockKind:
		capi.MlirBlockDestroy(t, capi.MlirBlock{Ptr: raw})
	case capi.RegionKind:
		capi.MlirRegionDestroy(t, capi.MlirRegion{Ptr: raw})
	}
}

// cutOff replaces what detached things use of an outermost thing that is about to be
// destroyed: they may use values in it and branch to blocks.
func (c *Context) cutOff(from pointer) {
	for _, t := range c.tops {
		if t.module == nil && t.uses != nil && t.raw != from {
			c.replace(t, capi.Sever(c.api, t.kind, t.raw, from))
		}
	}
}

// mend replaces what the library took away from operations that Go code had made
// invalid, and which it thought to be unreachable.
func (c *Context) mend(t *top) {
	if block := capi.Mend(c.api, t.kind, t.raw); block.Ptr != nil {
		c.replace(t, block)
		t.parted = true
	}
}

// replace notes the block, if it is one, whose arguments now replace operands in t.
func (c *Context) replace(t *top, block capi.MlirBlock) {
	if block.Ptr != nil {
		t.placeholders = append(t.placeholders, block)
		c.placeholders++
	}
}

// branch is an operation outside of something that branches into it, nil for none.
func (c *Context) branch(kind capi.Kind, raw pointer) Operation {
	t := c.topOf(kind, raw)
	if t == nil {
		return Operation{}
	}
	return c.operation(capi.BranchTo(c.api, kind, raw, t.kind, t.raw))
}

// unused returns an error that names a use if something outside uses what is about to be
// erased.
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

// destroyAll destroys all that is left of the context's IR: modules first, because they
// may use what was detached from them.
func (c *Context) destroyAll() {
	c.era.how = "after Context.Close"
	var detached []*top
	for _, t := range c.tops {
		if t.module == nil {
			c.replace(t, capi.Sever(c.api, t.kind, t.raw, nil))
			detached = append(detached, t)
		}
	}
	left := slices.Clone(detached)
	for _, t := range c.tops {
		if t.module != nil && !t.borrowed {
			c.destroy(t.kind, t.raw)
			left = append(left, t)
		}
	}
	for _, t := range detached {
		c.destroy(t.kind, t.raw)
	}
	for _, t := range left {
		for _, block := range t.placeholders {
			capi.MlirBlockDestroy(c.api, block)
		}
	}
	c.tops, c.handles = nil, handles{era: &lifetime{ctx: c, parent: c.life}}
}
