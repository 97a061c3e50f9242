package mlir

import (
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A handle to the IR is a lifetime and an address. At any time, one lifetime is valid for an
// address, so two valid handles to one object are ==. A handle with another lifetime panics.
//
//  1. The lifetime is the context's current era, unless the address is in
//     handles.addresses.
//  2. An address is added there before its memory may be freed, if handles to other
//     memory stay valid. This ends the old lifetime for the address. If the address is
//     used again, the next handle to it gets a new lifetime.
//  3. The era ends, and the table is cleared, when no handles stay valid: when the only
//     outermost object (see tops.go) is destroyed, or when passes run on it.
//  4. If memory was freed and it is not known which, the era ends, too. All objects that
//     still exist are added to the table with the lifetimes that they had.
//  5. A call of a pass or pattern lists the objects that it has handles to. When it
//     returns, the handles into the outermost object that the library works on end.
//  6. A nil handle is the zero value.

// handles records which handles to the context's IR are valid.
type handles struct {
	era       *lifetime
	addresses map[pointer]address
	filter    [64]uint64 // has a bit for each address in the table; several may share one
}

// address is the state of an address whose handles do not have the era's lifetime.
type address struct {
	life *lifetime // of handles to the current object, ended if that was erased; nil if there are none
	was  *lifetime // an earlier era, whose handles ended as how says
	how  string
}

// filterBit returns the position of an address in the filter. Multiplication spreads the
// high bits (Knuth, The Art of Computer Programming, volume 3, 6.4).
func filterBit(p pointer) (word int, bit uint64) {
	h := uint64(uintptr(p)) * 0x9e3779b97f4a7c15 >> 52
	return int(h >> 6), 1 << (h & 63)
}

// listed reports whether the address may be in the table. This is rare.
func (h *handles) listed(p pointer) bool {
	word, bit := filterBit(p)
	return h.filter[word]&bit != 0
}

func (h *handles) put(p pointer, a address) {
	if h.addresses == nil {
		h.addresses = map[pointer]address{}
	}
	word, bit := filterBit(p)
	h.filter[word] |= bit
	h.addresses[p] = a
}

// lifeOf returns the lifetime of handles to the object at an address. It records that the
// current pass or pattern has such a handle.
func (c *Context) lifeOf(kind capi.Kind, p pointer) *lifetime {
	if c.calls.current != nil {
		c.calls.current.give(capi.Thing{Ptr: p, Kind: kind})
	}
	if !c.listed(p) {
		return c.era
	}
	return c.listedLife(p)
}

func (c *Context) listedLife(p pointer) *lifetime {
	a, ok := c.addresses[p]
	if !ok {
		return c.era
	}
	if a.life == nil {
		a.life = &lifetime{ctx: c, parent: c.era}
		c.addresses[p] = a
	}
	return a.life
}

func (c *Context) operation(raw capi.MlirOperation) Operation {
	if raw.Ptr == nil {
		return Operation{}
	}
	return Operation{c.lifeOf(capi.OperationKind, raw.Ptr), raw}
}

func (c *Context) block(raw capi.MlirBlock) Block {
	if raw.Ptr == nil {
		return Block{}
	}
	return Block{c.lifeOf(capi.BlockKind, raw.Ptr), raw}
}

func (c *Context) region(raw capi.MlirRegion) Region {
	if raw.Ptr == nil {
		return Region{}
	}
	return Region{c.lifeOf(capi.RegionKind, raw.Ptr), raw}
}

func (c *Context) value(raw capi.MlirValue) Value {
	if raw.Ptr == nil {
		return Value{}
	}
	return Value{c.lifeOf(capi.ValueKind, raw.Ptr), raw}
}

// good reports whether a handle with this lifetime to this address is valid.
func (l *lifetime) good(p pointer) bool {
	if l.ctx.listed(p) {
		if a, ok := l.ctx.addresses[p]; ok {
			return a.life == l && !l.ended
		}
	}
	return l == l.ctx.era
}

// alive reports whether a handle to the address can be valid.
func (c *Context) alive(p pointer) bool {
	a, ok := c.addresses[p]
	return !ok || a.life != nil && !a.life.ended
}

// use panics if a handle is not valid, and returns the function table. It rarely calls
// good.
func (l *lifetime) use(method string, p pointer) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a nil handle: check IsNil first")
	}
	c := l.ctx
	if (l != c.era || c.listed(p)) && !l.good(p) {
		l.panicEnded(method, p)
	}
	return c.api
}

// panicEnded panics because a method was called on a handle that is not valid.
func (l *lifetime) panicEnded(method string, p pointer) {
	end := l.endOf(p)
	receiver, _, _ := strings.Cut(method, ".")
	if what, ok := receivers[receiver]; ok {
		if erased, ok := strings.CutPrefix(end, onErased); ok {
			end = "on " + what + erased
		}
	}
	panic("mlir: " + method + " called " + end)
}

// pass panics if a handle that is an argument of a method of c is not valid.
func (l *lifetime) pass(c *Context, p pointer, what, method string) {
	if l == nil {
		panic("mlir: " + method + " was given " + what + " that is nil")
	}
	if l.ctx == c && l.good(p) {
		return
	}
	if l.good(p) {
		panic("mlir: " + method + " was given " + what + " of another context")
	}
	end := l.endOf(p)
	if erased, ok := strings.CutPrefix(end, onErased); ok {
		panic("mlir: " + method + " was given " + what + erased)
	}
	if other, ok := strings.CutPrefix(end, "on "); ok {
		panic("mlir: " + method + " was given " + other)
	}
	panic("mlir: " + method + " called " + end)
}

// onErased is the start of the reason why handles to an erased object ended. The message names
// the kind of the object in place of "something", if it is known.
const onErased = "on something"

var receivers = map[string]string{"Operation": "an operation", "Block": "a block", "Region": "a region",
	"Value": "a value"}

func erasedBy(method string) string { return onErased + " that " + method + " has erased" }

// endOf describes how a handle that is not valid ended.
func (l *lifetime) endOf(p pointer) string {
	if a, ok := l.ctx.addresses[p]; ok && a.was == l {
		return a.how
	}
	return l.ending()
}

// forget ends the handles to objects whose memory may be freed.
func (c *Context) forget(things []capi.Thing, how string) {
	for _, thing := range things {
		a, ok := c.addresses[thing.Ptr]
		switch {
		case !ok:
			a = address{was: c.era, how: how}
		case a.life == nil:
			continue
		case a.life.parent == c.life: // an era
			a = address{was: a.life, how: how}
		default:
			a.life.how, a.life = how, nil
		}
		c.put(thing.Ptr, a)
	}
	c.last = known{}
}

// renew ends the era, and all handles except those into the outermost objects other than
// without.
func (c *Context) renew(without *top, how string) {
	old := c.addresses
	era := c.era
	era.how = how
	c.era = &lifetime{ctx: c, parent: c.life}
	if old != nil {
		c.addresses, c.filter = nil, [64]uint64{}
	}
	for _, t := range c.tops {
		if t == without || !c.shown(t) {
			continue
		}
		for _, thing := range c.gather(t) {
			a, ok := old[thing.Ptr]
			if !ok {
				a.life = era
			}
			c.put(thing.Ptr, a)
		}
	}
	for p, a := range old {
		if _, ok := c.addresses[p]; !ok && a.life != nil && a.life.parent != c.life {
			a.life.how = how
		}
	}
	for call := c.calls.current; call != nil; call = call.previous {
		call.keep(c, false)
	}
	c.last = known{}
}
