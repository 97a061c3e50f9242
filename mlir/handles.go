package mlir

import (
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// A handle of the IR is a lifetime and an address. At any time there is one lifetime with
// which handles to an address can be used, so two handles to one object are ==. A handle
// with another lifetime panics.
//
//  1. The lifetime is the context's current era, unless the address is in
//     handles.addresses.
//  2. An address is put there before its memory may be freed, while handles to other
//     memory stay good. The old lifetime is over for it then. If the address is used
//     again, the next handle to it gets a lifetime of its own.
//  3. The era ends, and the table is emptied, when nothing is left to which handles stay
//     good: when the only outermost thing (see tops.go) ends, or when passes run on it.
//  4. If memory was freed and it is not known which, the era ends too, and everything that is
//     still there is put into the table with the lifetime that it had.
//  5. A call of a pass or pattern lists what it has handles to. When it returns, those to
//     what is in the outermost thing that the library works on end.
//  6. A nil handle is the zero value.

// handles is what a context knows of the handles to its IR.
type handles struct {
	era       *lifetime
	addresses map[pointer]address
	filter    [64]uint64 // a bit for each of the addresses, which others may have too
}

// address is an address whose handles do not have the era's lifetime.
type address struct {
	life *lifetime // of handles to what is there now, ended if it was erased; nil if there are none
	was  *lifetime // an era; its handles ended as how says
	how  string
}

// filterBit is the place of an address in the filter. Its high bits are spread by
// multiplying (Knuth, The Art of Computer Programming, volume 3, 6.4).
func filterBit(p pointer) (word int, bit uint64) {
	h := uint64(uintptr(p)) * 0x9e3779b97f4a7c15 >> 52
	return int(h >> 6), 1 << (h & 63)
}

// listed reports whether the address may be in the table. Nearly always it is not.
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

// lifeOf returns the lifetime of handles to what is at an address, and notes that a pass or
// pattern has one.
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

// good reports whether a handle with this lifetime to this address can be used.
func (l *lifetime) good(p pointer) bool {
	if l.ctx.listed(p) {
		if a, ok := l.ctx.addresses[p]; ok {
			return a.life == l && !l.ended
		}
	}
	return l == l.ctx.era
}

// alive reports whether a handle to the address can be used.
func (c *Context) alive(p pointer) bool {
	a, ok := c.addresses[p]
	return !ok || a.life != nil && !a.life.ended
}

// use panics for a handle that cannot be used, and returns the function table. Nearly
// always it need not call good.
func (l *lifetime) use(method string, p pointer) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a nil handle: ask IsNil first")
	}
	c := l.ctx
	if (l != c.era || c.listed(p)) && !l.good(p) {
		panic("mlir: " + method + " called " + l.endOf(p))
	}
	return c.api
}

// pass panics for a handle that a method of c is given and cannot use.
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

// onErased starts how handles to something that was erased have ended. What a method
// calls the thing may replace "something".
const onErased = "on something"

func erasedBy(method string) string { return onErased + " that " + method + " has erased" }

// endOf says how a handle that cannot be used has ended.
func (l *lifetime) endOf(p pointer) string {
	if a, ok := l.ctx.addresses[p]; ok && a.was == l {
		return a.how
	}
	return l.ending()
}

// forget ends the handles to things whose memory may be freed.
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

// renew ends the era, and with it all handles but those to what is in the outermost
// things, without the given one.
func (c *Context) renew(without *top, how string) {
	old := c.addresses
	era := c.era
	era.how = how
	c.era = &lifetime{ctx: c, parent: c.life}
	if old != nil {
		c.addresses, c.filter = nil, [64]uint64{}
	}
	for _, t := range c.tops {
		if t == without || !t.shown() {
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
