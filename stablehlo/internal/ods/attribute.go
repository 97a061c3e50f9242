package ods

import (
	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// NewAttribute makes an attribute of a dialect: with make where the library has the
// function, else from its text.
func NewAttribute(c *mlir.Context, dialect, function string, text func() string, make func(*capi.Table, capi.MlirContext) capi.MlirAttribute) (mlir.Attribute, error) {
	if err := c.LoadDialect(dialect); err != nil {
		return mlir.Attribute{}, err
	}
	if l := c.Library(); l.Has(function) {
		return raw.WrapAttribute(c, make(raw.LibraryTable(l), raw.Context(c))), nil
	}
	return c.ParseAttribute(text())
}

// Handle returns what an attribute is read with through the C API. It returns false for
// an attribute that has to be read from its text: one that is nil, or one of a library
// without the function.
func Handle(a mlir.Attribute, function string) (*capi.Table, capi.MlirAttribute, bool) {
	if a.IsNil() || !a.Context().Library().Has(function) {
		return nil, capi.MlirAttribute{}, false
	}
	return raw.Table(a.Context()), raw.Attribute(a), true
}

// TextOf is what an attribute prints as, "" for the nil one.
func TextOf(a mlir.Attribute) string {
	if a.IsNil() {
		return ""
	}
	return a.String()
}
