package ods

import (
	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// NewAttribute makes an attribute of a dialect. It calls make if the library has the
// function, and parses the text otherwise.
func NewAttribute(
	c *mlir.Context, dialect, function string, text func() string,
	make func(*capi.Table, capi.MlirContext) capi.MlirAttribute,
) (mlir.Attribute, error) {
	if err := c.LoadDialect(dialect); err != nil {
		return mlir.Attribute{}, err
	}
	if l := c.Library(); l.Has(function) {
		return raw.WrapAttribute(c, make(raw.LibraryTable(l), raw.Context(c))), nil
	}
	return c.ParseAttribute(text())
}

// Handle returns the function table and handle that read an attribute through the C API.
// It returns false if the attribute must be read from its text, because it is nil or the
// library lacks the function.
func Handle(a mlir.Attribute, function string) (*capi.Table, capi.MlirAttribute, bool) {
	if a.IsNil() || !a.Context().Library().Has(function) {
		return nil, capi.MlirAttribute{}, false
	}
	return raw.Table(a.Context()), raw.Attribute(a), true
}

// TextOf returns the text of an attribute, or "" if it is nil.
func TextOf(a mlir.Attribute) string {
	if a.IsNil() {
		return ""
	}
	return a.String()
}
