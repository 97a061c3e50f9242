package mlir

import (
	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw/access"
)

// Package internal/raw documents these functions.
func init() {
	access.LibraryTable = func(l *Library) *capi.Table { return l.api }
	access.Table = func(c *Context) *capi.Table { return c.api }
	access.Need = func(l *Library, functions ...string) error {
		for _, f := range functions {
			if err := l.need(f); err != nil {
				return err
			}
		}
		return nil
	}
	access.Failure = func(c *Context, operation string) error {
		return &DiagnosticError{Op: operation, Diagnostics: c.takeDiagnostics("")}
	}
	access.RegisterTranslations = (*Context).registerTranslations
	access.Context = func(c *Context) capi.MlirContext {
		c.life.check("Context.Raw")
		return c.raw
	}
	access.Module = func(m *Module) capi.MlirModule {
		m.given("Module.Raw")
		m.life.check("Module.Raw")
		return m.raw
	}
	access.Type = func(t Type) capi.MlirType {
		t.check("Type.Raw")
		return t.raw
	}
	access.Attribute = func(a Attribute) capi.MlirAttribute {
		a.check("Attribute.Raw")
		return a.raw
	}
	access.TypeIn = Type.in
	access.AttributeIn = Attribute.in
	access.WrapType = (*Context).typ
	access.WrapAttribute = (*Context).attribute
	access.UnwrapType = func(t Type, method string) (*Context, capi.MlirType) {
		t.life.check(method)
		return t.life.ctx, t.raw
	}
	access.UnwrapAttribute = func(a Attribute, method string) (*Context, capi.MlirAttribute) {
		a.life.check(method)
		return a.life.ctx, a.raw
	}
	access.UnwrapOperation = func(o Operation, method string) (*Context, capi.MlirOperation) {
		o.life.use(method, o.raw.Ptr)
		return o.life.ctx, o.raw
	}
}
