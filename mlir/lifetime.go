package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

type pointer = unsafe.Pointer

// lifetime tells whether a context, or an object that belongs to one, can still be used.
// The lifetime of an IR handle is not sufficient for that: see handles.go.
type lifetime struct {
	ctx    *Context
	parent *lifetime // ends this one, too; nil for a context's
	of     string    // "Context", "Module" …
	ended  bool
	how    string // how it ended, for example "after Module.Close"; empty if its own Close ended it
}

// ending describes how the lifetime ended, for the message of a panic.
func (l *lifetime) ending() string {
	if how := l.ctx.life.how; how != "" {
		return how // the context is poisoned
	}
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

// check panics if the lifetime has ended, and returns the function table.
func (l *lifetime) check(method string) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a zero value: get one from a Context, a Module or an operation")
	}
	if l.ended || l.ctx.life.ended {
		panic("mlir: " + method + " called " + l.ending())
	}
	return l.ctx.api
}

// own is check for a type or attribute, which must not be nil.
func (l *lifetime) own(method string, raw pointer, what string) *capi.Table {
	t := l.check(method)
	if raw == nil {
		panic("mlir: " + method + " called on the nil " + what)
	}
	return t
}

// mine panics if an argument of a method of c belongs to another context.
func (l *lifetime) mine(c *Context, what, method string) {
	l.check(method)
	if l.ctx != c {
		panic("mlir: " + method + " was given " + what + " of another context")
	}
}

// given is mine for a type or attribute, which must not be nil.
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
	if v.life != c.era || c.listed(v.raw.Ptr) { // this part is inlined
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
