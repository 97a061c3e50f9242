package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

type pointer = unsafe.Pointer

// lifetime is what handles hold on to: the context, one module of it, or something
// detached. Once it has ended, check panics, where the library would read freed
// memory. What was detached and becomes part of something joins the lifetime of that,
// so that handles made before know of its end too.
type lifetime struct {
	ctx    *Context
	of     string    // "Context", "Module" …
	by     string    // what ended it, where that is not the Close of it
	parent *lifetime // the context's, for all others
	ended  bool
	lost   bool      // things were taken out of it: not all its handles are of what is in it
	spent  bool      // of a region: an operation was made with it, and its memory is free
	joined *lifetime // what this one has become part of
	uses   *lifetime // a lifetime whose values are operands in this detached one
	estate *estate   // nil for most
	module *Module   // whose it is, nil for what is detached
}

// root is the lifetime that l has become part of, l itself where it is alone.
func (l *lifetime) root() *lifetime {
	for l.joined != nil {
		if l.joined.joined != nil {
			l.joined = l.joined.joined // shorter the next time
		}
		l = l.joined
	}
	return l
}

// check panics when the lifetime is over, and returns the function table.
func (l *lifetime) check(method string) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a zero value: get one from a Context, a Module or an operation")
	}
	for p := l.root(); p != nil; p = p.parent {
		if p.ended {
			panic("mlir: " + method + " called after " + p.ending())
		}
	}
	return l.ctx.api
}

// use is check for a handle of the IR: it also panics for one that is nil and for
// what was erased.
func (l *lifetime) use(method string, raw pointer) *capi.Table {
	t := l.check(method)
	if raw == nil {
		panic("mlir: " + method + " called on a nil handle: ask IsNil first")
	}
	if l.ctx.erased.has(raw) {
		panic("mlir: " + method + " called on something that " + l.ctx.erased.by[raw] + " has erased")
	}
	return t
}

// own is check for a type or attribute, which may not be nil.
func (l *lifetime) own(method string, raw pointer, what string) *capi.Table {
	t := l.check(method)
	if raw == nil {
		panic("mlir: " + method + " was given the nil " + what)
	}
	return t
}

// over reports whether handles of this lifetime can be used no more.
func (l *lifetime) over() bool {
	r := l.root()
	return r.ended || r.ctx.life.ended
}

func (l *lifetime) ending() string {
	if l.by != "" {
		return l.by
	}
	return l.of + ".Close"
}

// mine panics when something of another context is handed to c.
func (l *lifetime) mine(c *Context, what, method string) {
	l.check(method)
	if l.ctx != c {
		panic("mlir: " + method + " was given " + what + " of another context")
	}
}

// given is mine for a handle, which may not be nil either.
func (l *lifetime) given(c *Context, raw pointer, what, method string) {
	l.mine(c, what, method)
	if raw == nil {
		panic("mlir: " + method + " was given " + what + " that is nil")
	}
}

// pass is given for a handle of the IR, which may not be erased either. Types and
// attributes are their context's and are never erased.
func (l *lifetime) pass(c *Context, raw pointer, what, method string) {
	l.given(c, raw, what, method)
	if c.erased.has(raw) {
		panic("mlir: " + method + " was given " + what + " that " + c.erased.by[raw] + " has erased")
	}
}

func (l Location) in(c *Context, method string) capi.MlirLocation {
	if l.IsNil() {
		return capi.MlirLocationUnknownGet(c.api, c.raw)
	}
	l.life.mine(c, "a location", method)
	return l.raw
}

func (t Type) in(c *Context, method string) capi.MlirType {
	t.life.given(c, t.raw.Ptr, "a type", method)
	return t.raw
}

func (a Attribute) in(c *Context, method string) capi.MlirAttribute {
	a.life.given(c, a.raw.Ptr, "an attribute", method)
	return a.raw
}

func (v Value) in(c *Context, method string) capi.MlirValue {
	v.life.pass(c, v.raw.Ptr, "a value", method)
	v.present(method)
	return v.raw
}

func (o Operation) in(c *Context, method string) capi.MlirOperation {
	o.life.pass(c, o.raw.Ptr, "an operation", method)
	return o.raw
}

func (b Block) in(c *Context, method string) capi.MlirBlock {
	b.life.pass(c, b.raw.Ptr, "a block", method)
	return b.raw
}

func (r Region) in(c *Context, method string) capi.MlirRegion {
	r.life.pass(c, r.raw.Ptr, "a region", method)
	r.present(method)
	return r.raw
}
