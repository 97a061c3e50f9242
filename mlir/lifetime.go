package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

type pointer = unsafe.Pointer

// lifetime says whether something can still be used: a context, or what was made in one.
// Handles of the IR have one too, and it alone does not say whether they can be used: see
// handles.go.
type lifetime struct {
	ctx    *Context
	parent *lifetime // it ends with this one; nil for a context's
	of     string    // "Context", "Module" …
	ended  bool
	how    string // how it ended, for example "after Module.Close": empty if the Close of it ended it
}

// ending says how the lifetime ended, for the message of a panic.
func (l *lifetime) ending() string {
	for p := l; p != nil; p = p.parent {
		if p.how != "" {
			return p.how
		}
		if p.ended {
			return "after " + p.of + ".Close"
		}
	}
	return "after its end"
}

// check panics if the lifetime is over, and returns the function table.
func (l *lifetime) check(method string) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a zero value: get one from a Context, a Module or an operation")
	}
	if l.ended || l.ctx.life.ended {
		panic("mlir: " + method + " called " + l.ending())
	}
	return l.ctx.api
}

// own is check for a type or attribute, which may not be nil.
func (l *lifetime) own(method string, raw pointer, what string) *capi.Table {
	t := l.check(method)
	if raw == nil {
		panic("mlir: " + method + " was given the nil " + what)
	}
	return t
}

// mine panics if something of another context is given to c.
func (l *lifetime) mine(c *Context, what, method string) {
	l.check(method)
	if l.ctx != c {
		panic("mlir: " + method + " was given " + what + " of another context")
	}
}

// given is mine for a type or attribute, which may not be nil either.
func (l *lifetime) given(c *Context, raw pointer, what, method string) {
	l.mine(c, what, method)
	if raw == nil {
		panic("mlir: " + method + " was given " + what + " that is nil")
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
	if v.life != c.era || c.listed(v.raw.Ptr) { // this much is inlined
		v.life.pass(c, v.raw.Ptr, "a value", method)
	}
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
	return r.raw
}
