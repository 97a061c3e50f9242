package stablehlo

import (
	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// structured makes a structured attribute: through the C API where the library has
// the function, else from its text.
func structured(c *mlir.Context, function string, text func() string, make func(*capi.Table) capi.MlirAttribute) (mlir.Attribute, error) {
	if err := c.LoadDialect("stablehlo"); err != nil {
		return mlir.Attribute{}, err
	}
	if l := c.Library(); l.Has(function) {
		return c.WrapAttribute(make(l.RawTable())), nil
	}
	return c.ParseAttribute(text())
}

// handle is what an attribute is read with through the C API; false where it has to be
// read from its text: it is nil, or the library lacks the function.
func handle(a mlir.Attribute, function string) (*capi.Table, capi.MlirAttribute, bool) {
	if a.IsNil() || !a.Context().Library().Has(function) {
		return nil, capi.MlirAttribute{}, false
	}
	return a.Context().RawTable(), a.Raw(), true
}

// text is what an attribute prints as, "" for the nil one.
func text(a mlir.Attribute) string {
	if a.IsNil() {
		return ""
	}
	return a.String()
}
