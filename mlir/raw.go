package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// The functions below join this package to those that wrap a dialect's own C
// functions. Their types are internal to this module.

// RawTable is the library's function table.
func (l *Library) RawTable() *capi.Table { return l.api }

// RawTable is the library's function table for what belongs to the context.
func (c *Context) RawTable() *capi.Table { return c.api }

// Raw is the context's C handle.
func (c *Context) Raw() capi.MlirContext {
	c.life.check("Context.Raw")
	return c.raw
}

// WrapAttribute makes an Attribute of a C handle of this context.
func (c *Context) WrapAttribute(raw capi.MlirAttribute) Attribute { return c.attribute(raw) }

// WrapType makes a Type of a C handle of this context.
func (c *Context) WrapType(raw capi.MlirType) Type { return c.typ(raw) }

// Raw is the attribute's C handle.
func (a Attribute) Raw() capi.MlirAttribute {
	a.check("Attribute.Raw")
	return a.raw
}

// Context is the context that the attribute belongs to.
func (a Attribute) Context() *Context {
	a.check("Attribute.Context")
	return a.life.ctx
}

// Raw is the type's C handle.
func (t Type) Raw() capi.MlirType {
	t.check("Type.Raw")
	return t.raw
}

// Raw is the module's C handle.
func (m *Module) Raw() capi.MlirModule {
	m.life.check("Module.Raw")
	return m.raw
}

// Failure makes an error of what the library reported since the last call, for the
// packages that call it themselves. op says what failed.
func (c *Context) Failure(op string) error {
	return &DiagnosticError{Op: op, Diagnostics: c.takeDiagnostics("")}
}
