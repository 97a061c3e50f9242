// Package pdl builds and reads the operations of MLIR's dialect pdl, which describe patterns that match and rewrite
// operations, and makes its types. If the library lacks what a function needs, the error matches
// mlir.ErrUnsupported.
package pdl

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "pdl"

// AttributeType returns !pdl.attribute.
func AttributeType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirPDLAttributeTypeGet", capi.MlirPDLAttributeTypeGet)
}

// OperationType returns !pdl.operation.
func OperationType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirPDLOperationTypeGet", capi.MlirPDLOperationTypeGet)
}

// TypeType returns !pdl.type.
func TypeType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirPDLTypeTypeGet", capi.MlirPDLTypeTypeGet)
}

// ValueType returns !pdl.value.
func ValueType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirPDLValueTypeGet", capi.MlirPDLValueTypeGet)
}

// RangeType returns !pdl.range<element>, where element is one of the other four types.
func RangeType(element mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(element, "pdl.RangeType")
	if !Is(element) || IsRange(element) {
		return mlir.Type{}, fmt.Errorf("pdl: %s is not an element type of a range: use !pdl.attribute, !pdl.operation, !pdl.type or !pdl.value", element)
	}
	t, err := raw.Load(c, dialect, "mlirPDLRangeTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.WrapType(c, capi.MlirPDLRangeTypeGet(t, h)), nil
}

// RangeElement returns the element type of a range.
func RangeElement(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "pdl.RangeElement")
	if !IsRange(t) {
		return mlir.Type{}, fmt.Errorf("pdl: %s is not a range", t)
	}
	if err := raw.Need(c.Library(), "mlirPDLRangeTypeGetElementType"); err != nil {
		return mlir.Type{}, err
	}
	return raw.WrapType(c, capi.MlirPDLRangeTypeGetElementType(raw.Table(c), h)), nil
}

// Is reports whether t is a type of the dialect.
func Is(t mlir.Type) bool {
	return IsAttribute(t) || IsOperation(t) || IsRange(t) || IsType(t) || IsValue(t)
}

// IsAttribute reports whether t is !pdl.attribute.
func IsAttribute(t mlir.Type) bool { return raw.IsType(t, "!pdl.attribute") }

// IsOperation reports whether t is !pdl.operation.
func IsOperation(t mlir.Type) bool { return raw.IsType(t, "!pdl.operation") }

// IsRange reports whether t is !pdl.range<…>.
func IsRange(t mlir.Type) bool { return raw.IsType(t, "!pdl.range") }

// IsType reports whether t is !pdl.type.
func IsType(t mlir.Type) bool { return raw.IsType(t, "!pdl.type") }

// IsValue reports whether t is !pdl.value.
func IsValue(t mlir.Type) bool { return raw.IsType(t, "!pdl.value") }
