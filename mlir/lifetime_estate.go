package mlir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Who owns what. Every operation, block and region stands in exactly one outermost
// thing: a module, or something detached. Context.tops knows all of these; each has
// a lifetime, and Context.Close destroys what is left.
//
// The library frees an erased operation at once, and a handle to it would then point
// anywhere. So what is erased is only cut off here and kept, in a block of its own,
// until the module (or what else it stood in) ends: its addresses are not used again
// meanwhile, and every handle to it panics with a sentence.
//
// What holds whenever a method returns:
//
//  1. A handle is a lifetime and a pointer. Where the lifetime is not over and the
//     pointer is not in Context.erased, it points to what the handle was made for. Two
//     things end otherwise: a block argument, whose memory the library uses again at
//     once (Context.gone), and a region that Create has used up (lifetime.spent).
//  2. Each outermost thing stands in Context.tops with a lifetime that has joined no
//     other, and whatever is not in a grave is reached from one.
//  3. Handles to what is in an outermost thing have its lifetime, one that has joined
//     it, or one of the kin in its estate. Memory is freed when all of these are over;
//     when the library may free it before, in a run of passes, they are all ended.
//  4. A lifetime that is not lost says where its things stand: in what it is the
//     lifetime of. For one that is lost the library is asked.
//  5. What an operation uses, and where it branches to, stands in the same outermost
//     thing. Something detached may also use others': its lifetime.uses says so, it is
//     cut off from what is freed or given to passes, and a module takes it only when all
//     that it uses is there. A module may use what was detached from it: that is not
//     erased, and goes nowhere but back, for as long as it does.
//
// What a pattern erases is kept until it returns, and handles end then: see Rewriter.bury.

// estate is what a lifetime leaves behind.
type estate struct {
	// kin are other lifetimes that handles of what is in here may have, because it was
	// taken out of them. The memory is kept until these have ended too.
	kin    []*lifetime
	graves []grave
	// standIns are the graves without a dead: blocks whose arguments have replaced what
	// was freed, and are operands of what lives on.
	standIns []capi.MlirBlock
}

// grave is a detached block with something erased in it.
type grave struct {
	block     capi.MlirBlock
	region    capi.MlirRegion
	addresses []pointer
}

// top is an outermost thing.
type top struct {
	life *lifetime
	kind capi.Kind
}

func (l *lifetime) property() *estate {
	if l.estate == nil {
		l.estate = &estate{}
	}
	return l.estate
}

// detached gives something that nobody owns a lifetime of its own.
func (c *Context) detached(kind capi.Kind, raw pointer) *lifetime {
	l := &lifetime{ctx: c, parent: c.life}
	c.tops[raw] = top{l, kind}
	return l
}

// topOf is the outermost thing that something stands in; fallback is the lifetime of
// the handle, for a region that cannot say.
func (c *Context) topOf(kind capi.Kind, raw pointer, fallback *lifetime) (*lifetime, pointer) {
	p := capi.Top(c.api, kind, raw)
	if t, ok := c.tops[p]; ok {
		return t.life, p
	}
	return fallback.root(), p
}

// home is the lifetime of the outermost thing that a block or region stands in now. A
// handle may be older than a move.
func (c *Context) home(kind capi.Kind, raw pointer, held *lifetime) *lifetime {
	l := held.root()
	if l.lost {
		l, _ = c.topOf(kind, raw, l)
	}
	return l
}

// taken makes something that was just cut out of an outermost thing detached. held is
// the lifetime of the handle.
func (c *Context) taken(kind capi.Kind, raw pointer, out, held *lifetime) *lifetime {
	l := c.detached(kind, raw)
	e := l.property()
	e.inherit(out)
	e.addKin(held.root())
	// What it uses may still stand where it was.
	l.uses = out
	out.lost, held.root().lost = true, true
	if out.of != "Module" {
		out.uses = c.life // and what stayed may use it
	}
	return l
}

// inherit notes where something stood, and where handles to what stood there may be
// from.
func (e *estate) inherit(out *lifetime) {
	e.addKin(out)
	if out.estate != nil {
		for _, k := range out.estate.kin {
			e.addKin(k)
		}
	}
}

func (e *estate) addKin(l *lifetime) {
	if !slices.Contains(e.kin, l) {
		e.kin = append(e.kin, l)
	}
}

// adopt makes something detached a part of what home belongs to. It panics for what
// is not detached: added twice, it would make the library's lists loop for ever.
func (c *Context) adopt(kind capi.Kind, raw pointer, home *lifetime, what, method string) {
	t, ok := c.tops[raw]
	if !ok || t.kind != kind || t.life.of == "Module" {
		panic("mlir: " + method + " was given " + what)
	}
	c.joinable(t.life, raw, kind, home, method)
	c.join(t.life, raw, home)
}

// joinable panics where what l is the lifetime of cannot become a part of home.
func (c *Context) joinable(l *lifetime, raw pointer, kind capi.Kind, home *lifetime, method string) {
	c.calls.mayJoin(raw, method)
	to := home.root()
	if to == l {
		panic("mlir: " + method + " was asked to put something into itself")
	}
	if l.uses != nil {
		c.compatible(l, raw, kind, to, method)
	}
	if l.estate != nil && len(l.estate.kin) > 0 && l.estate.kin[0].root() != to {
		if op, _ := capi.OutsideUse(c.api, kind, raw); op.Ptr != nil {
			panic(fmt.Sprintf("mlir: %s was given something that is still used where it was, by %s",
				method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
		}
	}
}

// join ends the detachment of l.
func (c *Context) join(l *lifetime, raw pointer, home *lifetime) {
	to := home.root()
	delete(c.tops, raw)
	l.joined = to
	to.lost = to.lost || l.lost
	if l.estate != nil {
		e := to.property()
		for _, k := range l.estate.kin {
			if k.root() != to {
				e.addKin(k)
			}
		}
		e.graves = append(e.graves, l.estate.graves...)
		e.standIns = append(e.standIns, l.estate.standIns...)
		l.estate = nil
	}
}

// using notes that something detached has operands that stand elsewhere. Of several
// places none is remembered: the context's lifetime stands for them.
func (l *lifetime) using(other *lifetime) {
	switch other = other.root(); {
	case other.lost:
		l.uses = l.ctx.life
	case l == other:
	case l.uses == nil:
		l.uses = other
	case l.uses.root() != other:
		l.uses = l.ctx.life
	}
}

// sameTree panics where an operand of something in o's tree would stand in another
// module than o.
func (c *Context) sameTree(o Operation, v Value, method string) {
	to, from := o.life.root(), v.life.root()
	if to == from && !to.lost {
		return
	}
	// Handles may be older than a move: ask the library.
	to, _ = c.topOf(capi.OperationKind, o.raw.Ptr, o.life)
	from, _ = c.topOfValue(v)
	switch {
	case to == from:
	case to.of == "Module":
		panic("mlir: " + method + " was given a value that does not stand in the module of the operation")
	default:
		to.using(from)
	}
}

func (c *Context) topOfValue(v Value) (*lifetime, pointer) {
	t := c.api
	if capi.MlirValueIsABlockArgument(t, v.raw) {
		return c.topOf(capi.BlockKind, capi.MlirBlockArgumentGetOwner(t, v.raw).Ptr, v.life)
	}
	return c.topOf(capi.OperationKind, capi.MlirOpResultGetOwner(t, v.raw).Ptr, v.life)
}

// compatible panics where something whose operands stand in one module is put into
// another: closing the first would leave the second with wild pointers.
func (c *Context) compatible(l *lifetime, raw pointer, kind capi.Kind, to *lifetime, method string) {
	uses := l.uses.root()
	if !uses.lost && (uses == to || uses == l) {
		return
	}
	if to.of != "Module" {
		to.using(uses)
		return
	}
	for p, t := range c.tops {
		if t.life == to {
			if op := capi.Stray(c.api, kind, raw, p); op.Ptr != nil {
				panic(fmt.Sprintf("mlir: %s was given %s, which uses something that stands elsewhere: add that first",
					method, capi.MlirIdentifierStr(c.api, capi.MlirOperationGetName(c.api, op))))
			}
			return
		}
	}
}

// end ends the lifetime of an outermost thing and frees it, now or when the last
// handles to it are known to be dead.
func (c *Context) end(raw pointer, by string) {
	t := c.tops[raw]
	delete(c.tops, raw)
	t.life.ended, t.life.by = true, by
	r := remains{top: t, raw: raw}
	if t.life.estate.awaited() {
		// Handles of other lifetimes meet a sentence too.
		r.addresses = capi.Gather(c.api, t.kind, raw)
		c.erased.add(r.addresses, t.life.ending())
	}
	if t.life.of != "Module" && (r.addresses != nil || len(c.ending) > 0) {
		c.sever(t, raw, nil) // what it uses may be freed before it
	}
	c.ending = append(c.ending, r)
	c.sweep()
	if len(c.tops) == 0 {
		clear(c.gone) // no handle is left that could be taken for another one
	}
}

// remains are an outermost thing that has ended and is not freed yet.
type remains struct {
	top
	raw       pointer
	addresses []pointer // marked as erased
}

func (c *Context) sweep() {
	for i := 0; i < len(c.ending); i++ {
		r := c.ending[i]
		if r.life.estate.awaited() {
			continue
		}
		c.ending = slices.Delete(c.ending, i, i+1)
		i = -1 // others may have waited for this one
		c.cutOff(r.raw)
		if e := r.life.estate; e != nil {
			for _, block := range e.standIns {
				c.cutOff(block.Ptr)
			}
		}
		c.destroy(r.kind, r.raw)
		c.erased.remove(r.addresses)
		c.clear(r.life)
	}
}

// cutOff replaces what something detached uses of an outermost thing that is about to
// go: it may use values in it and branch to blocks.
func (c *Context) cutOff(from pointer) {
	for p, t := range c.tops {
		if t.life.of != "Module" && t.life.uses != nil && p != from {
			c.sever(t, p, from)
		}
	}
}

// awaited reports whether handles of other lifetimes may still point here. What was
// taken out of here and there is kin of kin.
func (e *estate) awaited() bool { return e.anyAlive(map[*estate]bool{}) }

func (e *estate) anyAlive(seen map[*estate]bool) bool {
	if e == nil || seen[e] {
		return false
	}
	seen[e] = true
	return slices.ContainsFunc(e.kin, func(k *lifetime) bool {
		return !k.over() || k.root().estate.anyAlive(seen)
	})
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

// clear frees what was erased in a lifetime that has ended.
func (c *Context) clear(l *lifetime) {
	if l.estate == nil {
		return
	}
	for _, g := range l.estate.graves {
		if g.region.Ptr != nil {
			capi.MlirRegionDestroy(c.api, g.region)
		}
		capi.MlirBlockDestroy(c.api, g.block)
		c.erased.remove(g.addresses)
	}
	for _, block := range l.estate.standIns {
		capi.MlirBlockDestroy(c.api, block)
	}
	l.estate = nil
}

// sever replaces the operands and successors of something detached that stand in the
// tree from, or anywhere outside where from is nil.
func (c *Context) sever(t top, raw, from pointer) {
	if block := capi.Sever(c.api, t.kind, raw, from); block.Ptr != nil {
		e := t.life.property()
		e.standIns = append(e.standIns, block)
	}
}

func (l *lifetime) bury(g grave) {
	e := l.property()
	e.graves = append(e.graves, g)
}

// entomb keeps something erased, which was just cut out of an outermost thing.
func (c *Context) entomb(kind capi.Kind, raw pointer, out *lifetime, by string) {
	out.root().bury(c.grave(kind, raw, by))
}

// grave cuts off something that was just taken out, and marks it as erased.
func (c *Context) grave(kind capi.Kind, raw pointer, by string) grave {
	t := c.api
	if kind != capi.OperationKind || capi.MlirOperationGetNumRegions(t, capi.MlirOperation{Ptr: raw}) > 0 {
		c.cutOff(raw) // something detached may branch to a block in it
	}
	g := grave{block: capi.Sever(t, kind, raw, nil), addresses: capi.Gather(t, kind, raw)}
	if g.block.Ptr == nil {
		g.block = capi.MlirBlockCreate(t, 0, nil, nil)
	}
	switch kind {
	case capi.OperationKind:
		capi.MlirBlockAppendOwnedOperation(t, g.block, capi.MlirOperation{Ptr: raw})
	case capi.BlockKind:
		g.region = capi.MlirRegionCreate(t)
		capi.MlirRegionAppendOwnedBlock(t, g.region, capi.MlirBlock{Ptr: raw})
	}
	c.erased.add(g.addresses, by)
	return g
}

// branch is an operation outside of a block, or of a region, that branches to it.
func (c *Context) branch(kind capi.Kind, raw pointer, held *lifetime) (Operation, bool) {
	p := capi.Top(c.api, kind, raw)
	t, ok := c.tops[p]
	if !ok {
		return Operation{}, false
	}
	op := capi.BranchTo(c.api, kind, raw, t.kind, p)
	return Operation{held, op}, op.Ptr != nil
}

// unused returns an error that names a use where something outside uses what is
// about to be erased.
func (c *Context) unused(kind capi.Kind, raw pointer, held *lifetime, what string) error {
	op, used := capi.OutsideUse(c.api, kind, raw)
	if op.Ptr == nil {
		return nil
	}
	user, v := Operation{held, op}, value(held, used)
	which := "a value in it"
	if owner := v.Owner(); !owner.IsNil() && owner.raw.Ptr == raw {
		which = fmt.Sprintf("its result %d", v.Index())
	}
	return fmt.Errorf("mlir: %s cannot be erased: %s is used by %s at %s",
		what, which, user.Name(), user.Location().Position())
}

// closeAll frees everything of the context that is left: modules first, because they
// may use values that were detached from them, and what is detached cut off from all.
func (c *Context) closeAll() {
	left := c.ending
	for p, t := range c.tops {
		if t.life.of != "Module" {
			c.sever(t, p, nil)
		}
		left = append(left, remains{top: t, raw: p})
	}
	slices.SortStableFunc(left, func(a, b remains) int {
		return strings.Compare(b.life.of, a.life.of) // "Module", then ""
	})
	for _, r := range left {
		c.destroy(r.kind, r.raw)
	}
	for _, r := range left {
		c.clear(r.life)
	}
	c.tops, c.ending = nil, nil
}
