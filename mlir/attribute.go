package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// An Attribute is an MLIR attribute. Its context uniques attributes, so equal attributes
// are equal values.
type Attribute struct {
	life *lifetime
	raw  capi.MlirAttribute
}

// IsNil reports whether a is the zero Attribute.
func (a Attribute) IsNil() bool { return a.raw.Ptr == nil }

// check panics if a is nil or its context is closed.
func (a Attribute) check(method string) *capi.Table {
	return a.life.own(method, a.raw.Ptr, "attribute")
}

func (c *Context) attribute(raw capi.MlirAttribute) Attribute { return Attribute{c.life, raw} }

// ParseAttribute parses an attribute, for example "#stablehlo<precision HIGH>".
func (c *Context) ParseAttribute(text string) (Attribute, error) {
	t := c.life.check("Context.ParseAttribute")
	if _, wrong := guard.Text([]byte(text)); wrong != "" {
		return Attribute{}, fmt.Errorf("mlir: parsing the attribute %q failed: %s", text, wrong)
	}
	c.expect(text)
	source := parsable(text)
	raw := capi.MlirAttributeParseGet(t, c.raw, source[:len(source)-1])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Attribute{}, &DiagnosticError{Op: fmt.Sprintf("parsing the attribute %q", text),
			Diagnostics: diagnostics, Hint: c.hint([]byte(text), diagnostics)}
	}
	if mayMisfit([]byte(text)) {
		if _, message := c.misfitIn(capi.DenseInAttribute(c.api, raw)); message != "" {
			return Attribute{}, fmt.Errorf("mlir: parsing the attribute %q failed: %s", text, message)
		}
	}
	return c.attribute(raw), nil
}

// Context returns the context of the attribute.
func (a Attribute) Context() *Context {
	a.check("Attribute.Context")
	return a.life.ctx
}

// String returns the attribute as MLIR prints it.
func (a Attribute) String() string {
	if a.IsNil() {
		return "<nil attribute>"
	}
	api := a.check("Attribute.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirAttributePrint(api, a.raw, cb, ud)
	}))
}

// Equal reports whether a and b are the same attribute.
func (a Attribute) Equal(b Attribute) bool { return a.raw == b.raw }

// Type returns the type of a typed attribute such as 1 : i32 or dense<0> : tensor<2xi8>,
// and whether a has a type.
func (a Attribute) Type() (Type, bool) {
	api := a.check("Attribute.Type")
	raw := capi.MlirAttributeGetType(api, a.raw)
	if raw.Ptr == nil || capi.MlirTypeIsANone(api, raw) { // the library returns none for an attribute without a type
		return Type{}, false
	}
	return Type{a.life, raw}, true
}

// Dialect returns the namespace of the attribute's dialect, for example "builtin" or
// "stablehlo".
func (a Attribute) Dialect() string {
	api := a.check("Attribute.Dialect")
	return capi.MlirDialectGetNamespace(api, capi.MlirAttributeGetDialect(api, a.raw))
}
