package emitc

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Opaque is #emitc.opaque<"text">, a value by its C or C++ text.
func Opaque(c *mlir.Context, text string) (mlir.Attribute, error) {
	t, err := raw.Load(c, dialect, "mlirEmitCOpaqueAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	return raw.ParsedAttribute(raw.WrapAttribute(c, capi.MlirEmitCOpaqueAttrGet(t, raw.Context(c), text)))
}

// IsOpaqueAttribute reports whether a is #emitc.opaque<…>.
func IsOpaqueAttribute(a mlir.Attribute) bool { return raw.IsAttribute(a, "#emitc.opaque") }

// OpaqueText is the text in #emitc.opaque<"text">.
func OpaqueText(a mlir.Attribute) (string, error) {
	c, h := raw.UnwrapAttribute(a, "emitc.OpaqueText")
	if !IsOpaqueAttribute(a) {
		return "", fmt.Errorf("emitc: %s is no opaque attribute", a)
	}
	if err := raw.Need(c.Library(), "mlirEmitCOpaqueAttrGetValue"); err != nil {
		return "", err
	}
	return capi.MlirEmitCOpaqueAttrGetValue(raw.Table(c), h), nil
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
	t, err := raw.Load(c, dialect, "mlirEmitCCmpPredicateAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if p < Equal || p > ThreeWay {
		return mlir.Attribute{}, fmt.Errorf("emitc: there is no comparison %d: use the constants", p)
	}
	return raw.WrapAttribute(c, capi.MlirEmitCCmpPredicateAttrGet(t, raw.Context(c), capi.MlirEmitCCmpPredicate(p))), nil
}

// ReadCmpPredicate reads a predicate.
func ReadCmpPredicate(a mlir.Attribute) (CmpPredicate, error) {
	c, h := raw.UnwrapAttribute(a, "emitc.ReadCmpPredicate")
	if err := raw.Need(c.Library(), "mlirAttributeIsAEmitCCmpPredicate", "mlirEmitCCmpPredicateAttrGetValue"); err != nil {
		return 0, err
	}
	t := raw.Table(c)
	if !capi.MlirAttributeIsAEmitCCmpPredicate(t, h) {
		return 0, fmt.Errorf("emitc: %s is no comparison", a)
	}
	return CmpPredicate(capi.MlirEmitCCmpPredicateAttrGetValue(t, h)), nil
}
