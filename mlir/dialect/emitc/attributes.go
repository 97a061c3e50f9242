package emitc

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/internal/raw"
)

// Opaque is #emitc.opaque<"text">, a value by its C or C++ text.
func Opaque(c *mlir.Context, text string) (mlir.Attribute, error) {
	t, err := raw.Table(c, dialect, "mlirEmitCOpaqueAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	return raw.ParsedAttribute(c.WrapAttribute(capi.MlirEmitCOpaqueAttrGet(t, c.Raw(), text)))
}

// IsOpaqueAttribute reports whether a is #emitc.opaque<…>.
func IsOpaqueAttribute(a mlir.Attribute) bool { return raw.IsAttribute(a, "#emitc.opaque") }

// OpaqueText is the text in #emitc.opaque<"text">.
func OpaqueText(a mlir.Attribute) (string, error) {
	c, h := a.Unwrap("emitc.OpaqueText")
	if !IsOpaqueAttribute(a) {
		return "", fmt.Errorf("emitc: %s is no opaque attribute", a)
	}
	if err := c.Library().Need("mlirEmitCOpaqueAttrGetValue"); err != nil {
		return "", err
	}
	return capi.MlirEmitCOpaqueAttrGetValue(c.RawTable(), h), nil
}

// CmpPredicate says how emitc.cmp compares.
type CmpPredicate int

const (
	Equal CmpPredicate = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
	ThreeWay
)

// Attribute is the predicate as MLIR keeps it: a number of type i64.
func (p CmpPredicate) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	t, err := raw.Table(c, dialect, "mlirEmitCCmpPredicateAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if p < Equal || p > ThreeWay {
		return mlir.Attribute{}, fmt.Errorf("emitc: there is no comparison %d: use the constants", p)
	}
	return c.WrapAttribute(capi.MlirEmitCCmpPredicateAttrGet(t, c.Raw(), capi.MlirEmitCCmpPredicate(p))), nil
}

// AsCmpPredicate reads a predicate.
func AsCmpPredicate(a mlir.Attribute) (CmpPredicate, error) {
	c, h := a.Unwrap("emitc.AsCmpPredicate")
	if err := c.Library().Need("mlirAttributeIsAEmitCCmpPredicate", "mlirEmitCCmpPredicateAttrGetValue"); err != nil {
		return 0, err
	}
	t := c.RawTable()
	if !capi.MlirAttributeIsAEmitCCmpPredicate(t, h) {
		return 0, fmt.Errorf("emitc: %s is no comparison", a)
	}
	return CmpPredicate(capi.MlirEmitCCmpPredicateAttrGetValue(t, h)), nil
}
