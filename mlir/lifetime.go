package mlir

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

type pointer = unsafe.Pointer

// lifetime is what handles hold on to: the context, or one module of it. Once it
// has ended, check panics, where the library would read freed memory.
type lifetime struct {
	ctx    *Context
	of     string    // "Context" or "Module"
	parent *lifetime // the context's, for a module's
	ended  bool
}

// check panics when the lifetime is over, and returns the function table.
func (l *lifetime) check(method string) *capi.Table {
	if l == nil {
		panic("mlir: " + method + " called on a zero value: get one from a Context, a Module or an operation")
	}
	for p := l; p != nil; p = p.parent {
		if p.ended {
			panic("mlir: " + method + " called after " + p.of + ".Close")
		}
	}
	return l.ctx.lib.api
}

// mine panics when something of another context is handed to c.
func (l *lifetime) mine(c *Context, what, method string) {
	l.check(method)
	if l.ctx != c {
		panic("mlir: " + method + " was given " + what + " of another context")
	}
}

func (l Location) in(c *Context, method string) capi.MlirLocation {
	if l.IsNil() {
		return capi.MlirLocationUnknownGet(c.lib.api, c.raw)
	}
	l.life.mine(c, "a location", method)
	return l.raw
}

func (t Type) in(c *Context, method string) capi.MlirType {
	t.check(method)
	t.life.mine(c, "a type", method)
	return t.raw
}

func (a Attribute) in(c *Context, method string) capi.MlirAttribute {
	a.check(method)
	a.life.mine(c, "an attribute", method)
	return a.raw
}

func (v Value) in(c *Context, method string) capi.MlirValue {
	v.life.mine(c, "a value", method)
	return v.raw
}

// collect is capi.Collect under the package's own pointer name.
func collect(report func(cb capi.MlirStringCallback, userData pointer)) []byte {
	return capi.Collect(report)
}
