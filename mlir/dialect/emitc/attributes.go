package emitc

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
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

// CmpPredicate is the comparison of emitc.cmp.
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

// Attribute returns the predicate in MLIR's form: a number of type i64.
func (p CmpPredicate) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	t, err := raw.Load(c, dialect, "mlirEmitCCmpPredicateAttrGet")
	if err != nil {
		return mlir.Attribute{}, err
	}
	if p < Equal || p > ThreeWay {
		return mlir.Attribute{}, fmt.Errorf("emitc: %d is not a comparison: use the constants", p)
	}
	return raw.WrapAttribute(c, capi.MlirEmitCCmpPredicateAttrGet(t, raw.Context(c), capi.MlirEmitCCmpPredicate(p))),
		nil
}

// ReadCmpPredicate returns a as a CmpPredicate. It returns an error if a is another
// attribute.
func ReadCmpPredicate(a mlir.Attribute) (CmpPredicate, error) {
	c, h := raw.UnwrapAttribute(a, "emitc.ReadCmpPredicate")
	if err := raw.Need(c.Library(), "mlirAttributeIsAEmitCCmpPredicate", "mlirEmitCCmpPredicateAttrGetValue"); err !=
		nil {
		return 0, err
	}
	t := raw.Table(c)
	if !capi.MlirAttributeIsAEmitCCmpPredicate(t, h) {
		return 0, fmt.Errorf("emitc: %s is not a comparison", a)
	}
	return CmpPredicate(capi.MlirEmitCCmpPredicateAttrGetValue(t, h)), nil
}
