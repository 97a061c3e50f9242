package emitc

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Opaque returns #emitc.opaque<"text">, a value given by its C or C++ text.
func Opaque(c *mlir.Context, text string) (mlir.Attribute, error) {
	t, err := raw.Load(c, dialect, "mlirEmitCOpaqueAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	return raw.ParsedAttribute(raw.WrapAttribute(c, capi.MlirEmitCOpaqueAttrGet(t, raw.Context(c), text)))
}

// IsOpaqueAttribute reports whether a is #emitc.opaque<…>.
func IsOpaqueAttribute(a mlir.Attribute) bool { return raw.IsAttribute(a, "#emitc.opaque") }

// OpaqueText returns the text of #emitc.opaque<"text">.
func OpaqueText(a mlir.Attribute) (string, error) {
	c, h := raw.UnwrapAttribute(a, "emitc.OpaqueText")
	if !IsOpaqueAttribute(a) {
		return "", fmt.Errorf("emitc: %s is not an opaque attribute", a)
	}
	if err := raw.Need(c.Library(), "mlirEmitCOpaqueAttrGetValue"); err != nil {
		return "", err
	}
	return capi.MlirEmitCOpaqueAttrGetValue(raw.Table(c), h), nil
}
