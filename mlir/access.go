package mlir

import (
	"io"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw/access"
)

// Package internal/ir/raw documents these functions.
func init() {
	access.LibraryTable = func(l *Library) *capi.Table { return l.api }
	access.Table = func(c *Context) *capi.Table { return c.api }
	access.Use = func(c *Context, method string) *capi.Table { return c.life.check(method) }
	access.Need = (*Library).need
	access.Failure = func(c *Context, operation string) *DiagnosticError {
		return &DiagnosticError{Op: operation, Diagnostics: c.takeDiagnostics("")}
	}
	access.RegisterTranslations = (*Context).registerTranslations
	access.Context = func(c *Context) capi.MlirContext { return capi.MlirContext{Ptr: c.Pointer()} }
	// Not Pointer: no handle to what is in the module is given out.
	access.Module = func(m *Module) capi.MlirModule {
		m.given("Module.Pointer")
		m.life.check("Module.Pointer")
		return m.raw
	}
	access.Unlowered = (*Module).unlowered
	access.WithoutSmallResources = (*Module).withoutSmallResources
	access.Type = func(t Type) capi.MlirType { return capi.MlirType{Ptr: t.Pointer()} }
	access.Attribute = func(a Attribute) capi.MlirAttribute { return capi.MlirAttribute{Ptr: a.Pointer()} }
	access.TypeIn = Type.in
	access.AttributeIn = Attribute.in
	access.WrapType = (*Context).typ
	access.WrapAttribute = (*Context).attribute
	access.OperationIn, access.BlockIn, access.ValueIn = Operation.in, Block.in, Value.in
	access.WrapOperation, access.WrapBlock = (*Context).operation, (*Context).block
	access.WrapValue = (*Context).value
	access.Keep = func(c *Context, x io.Closer) { c.calls.keep(x) }
	access.Drop = func(c *Context, x io.Closer) bool {
		_, kept := c.calls.open[x]
		delete(c.calls.open, x)
		return kept && !c.life.ended
	}
	access.LocationIn, access.WrapLocation = Location.in, (*Context).location
	access.After = func(c *Context, f func()) { c.after = f }
	access.Idle = func(c *Context, method string) { c.calls.idle(method) }
	access.Called = func(c *Context) bool { return c.calls.current != nil }
	access.Beside = func(c *Context) map[any]any {
		if c.beside == nil {
			c.beside = map[any]any{}
		}
		return c.beside
	}
	access.UnwrapType = func(t Type, method string) (*Context, capi.MlirType) {
		t.life.check(method)
		return t.life.ctx, t.raw
	}
	access.UnwrapAttribute = func(a Attribute, method string) (*Context, capi.MlirAttribute) {
		a.life.check(method)
		return a.life.ctx, a.raw
	}
	access.Build = (*Builder).build
	access.Parts = func(b *Builder) *any { return &b.kept.parts }
	access.UnwrapOperation = func(o Operation, method string) (*Context, capi.MlirOperation) {
		o.life.use(method, o.raw.Ptr)
		return o.life.ctx, o.raw
	}
}
