package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Type is an MLIR type. Types are uniqued by their context: equal types are equal
// values.
type Type struct {
	life *lifetime
	raw  capi.MlirType
}

// IsNil reports whether t is the zero Type.
func (t Type) IsNil() bool { return t.raw.Ptr == nil }

// check panics on a nil type and after the end of its context.
func (t Type) check(method string) *capi.Table {
	return t.life.own(method, t.raw.Ptr, "type")
}

func (c *Context) typ(raw capi.MlirType) Type { return Type{c.life, raw} }

// ParseType reads a type from its text, for example "tensor<2x?xf32>".
func (c *Context) ParseType(text string) (Type, error) {
	t := c.life.check("Context.ParseType")
	c.expect(text)
	source := text + "\x00" // some libraries read up to a NUL
	raw := capi.MlirTypeParseGet(t, c.raw, source[:len(text)])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: fmt.Sprintf("parsing the type %q", text), Diagnostics: diagnostics}
	}
	return c.typ(raw), nil
}

// Context is the context that the type belongs to.
func (t Type) Context() *Context {
	t.check("Type.Context")
	return t.life.ctx
}

// String is the type as MLIR prints it.
func (t Type) String() string {
	if t.IsNil() {
		return "<nil type>"
	}
	api := t.check("Type.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirTypePrint(api, t.raw, cb, ud)
	}))
}

// Equal reports whether both are one type.
func (t Type) Equal(u Type) bool { return t.raw == u.raw }

// Dialect is the namespace of the dialect that the type belongs to, for example
// "builtin" or "stablehlo".
func (t Type) Dialect() string {
	api := t.check("Type.Dialect")
	return capi.MlirDialectGetNamespace(api, capi.MlirTypeGetDialect(api, t.raw))
}

// checkedType makes the result of one of the library's checking functions a Type, or
// what was reported an error.
func (c *Context) checkedType(raw capi.MlirType, what string) (Type, error) {
	diagnostics := c.takeDiagnostics("")
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: "making " + what, Diagnostics: diagnostics}
	}
	return c.typ(raw), nil
}

// unknown is the location under which the library reports what it says against a
// new type or attribute.
func (c *Context) unknown() capi.MlirLocation {
	return capi.MlirLocationUnknownGet(c.api, c.raw)
}
