package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Type is an MLIR type. Its context uniques types, so equal types are equal values.
type Type struct {
	life *lifetime
	raw  capi.MlirType
}

// IsNil reports whether t is the zero Type.
func (t Type) IsNil() bool { return t.raw.Ptr == nil }

// check panics if t is nil or its context is closed.
func (t Type) check(method string) *capi.Table {
	return t.life.own(method, t.raw.Ptr, "type")
}

func (c *Context) typ(raw capi.MlirType) Type { return Type{c.life, raw} }

// ParseType parses a type, for example "tensor<2x?xf32>".
func (c *Context) ParseType(text string) (Type, error) {
	t := c.life.check("Context.ParseType")
	c.expect(text)
	source := parsable(text)
	raw := capi.MlirTypeParseGet(t, c.raw, source[:len(source)-1])
	diagnostics := c.takeDiagnostics(text)
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: fmt.Sprintf("parsing the type %q", text), Diagnostics: diagnostics,
			Hint: c.hint([]byte(text), diagnostics)}
	}
	if mayMisfit([]byte(text)) {
		if _, message := c.misfitIn(capi.DenseInType(c.api, raw)); message != "" {
			return Type{}, fmt.Errorf("mlir: parsing the type %q failed: %s", text, message)
		}
	}
	return c.typ(raw), nil
}

// Context returns the context of the type.
func (t Type) Context() *Context {
	t.check("Type.Context")
	return t.life.ctx
}

// String returns the type as MLIR prints it.
func (t Type) String() string {
	if t.IsNil() {
		return "<nil type>"
	}
	api := t.check("Type.String")
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud pointer) {
		capi.MlirTypePrint(api, t.raw, cb, ud)
	}))
}

// Equal reports whether t and u are the same type.
func (t Type) Equal(u Type) bool { return t.raw == u.raw }

// Dialect returns the namespace of the type's dialect, for example "builtin" or
// "stablehlo".
func (t Type) Dialect() string {
	api := t.check("Type.Dialect")
	return capi.MlirDialectGetNamespace(api, capi.MlirTypeGetDialect(api, t.raw))
}

// checkedType returns the result of one of the library's checking functions as a Type, or
// the reported diagnostics as an error.
func (c *Context) checkedType(raw capi.MlirType, what string) (Type, error) {
	diagnostics := c.takeDiagnostics("")
	if raw.Ptr == nil {
		return Type{}, &DiagnosticError{Op: "making " + what, Diagnostics: diagnostics}
	}
	return c.composedType(raw), nil
}

// unknown returns the location of diagnostics about a new type or attribute.
func (c *Context) unknown() capi.MlirLocation {
	return capi.MlirLocationUnknownGet(c.api, c.raw)
}
