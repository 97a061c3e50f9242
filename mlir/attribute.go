package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Attribute is an MLIR attribute. Attributes are uniqued by their context: equal
// attributes are equal values.
type Attribute struct {
	life *lifetime
	raw  capi.MlirAttribute
}

// IsNil reports whether a is the zero Attribute.
func (a Attribute) IsNil() bool { return a.raw.Ptr == nil }

// check panics on a nil attribute and after the end of its context.
func (a Attribute) check(method string) *capi.Table {
	return a.life.own(method, a.raw.Ptr, "attribute")
}

func (c *Context) attribute(raw capi.MlirAttribute) Attribute { return Attribute{c.life, raw} }

// ParseAttribute reads an attribute from its text, for example "#stablehlo<precision HIGH>".
func (c *Context) ParseAttribute(text string) (Attribute, error) {
	t := c.life.check("Context.ParseAttribute")
	c.expect(text)
	source := text + "\x00" // some libraries read up to a NUL
	raw := capi.MlirAttributeParseGet(t, c.raw, source[:len(text)])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Attribute{}, &DiagnosticError{Op: fmt.Sprintf("parsing the attribute %q", text), Diagnostics: diagnostics}
	}
	return c.attribute(raw), nil
}

// Context returns the context that the attribute belongs to.
func (a Attribute) Context() *Context {
	a.check("Attribute.Context")
	return a.life.ctx
}

// String is the attribute as MLIR prints it.
func (a Attribute) String() string {
	if a.IsNil() {
		return "<nil attribute>"
	}
	api := a.check("Attribute.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAttributePrint(api, a.raw, cb, ud)
	}))
}

// Equal reports whether both are one attribute.
func (a Attribute) Equal(b Attribute) bool { return a.raw == b.raw }

// Type is the type of a typed attribute such as 1 : i32 or dense<0> : tensor<2xi8>;
// false for an attribute that has none.
func (a Attribute) Type() (Type, bool) {
	api := a.check("Attribute.Type")
	raw := capi.MlirAttributeGetType(api, a.raw)
	if raw.Ptr == nil || capi.MlirTypeIsANone(api, raw) { // how the library says that there is none
		return Type{}, false
	}
	return Type{a.life, raw}, true
}

// Dialect is the namespace of the dialect that the attribute belongs to, for example
// "builtin" or "stablehlo".
func (a Attribute) Dialect() string {
	api := a.check("Attribute.Dialect")
	return capi.MlirDialectGetNamespace(api, capi.MlirAttributeGetDialect(api, a.raw))
}
