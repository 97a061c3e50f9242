package chlo

import (
	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// ComparisonDirection is how broadcast_compare compares.
type ComparisonDirection string

const (
	CompareEQ ComparisonDirection = "EQ"
	CompareNE ComparisonDirection = "NE"
	CompareGE ComparisonDirection = "GE"
	CompareGT ComparisonDirection = "GT"
	CompareLE ComparisonDirection = "LE"
	CompareLT ComparisonDirection = "LT"
)

// Attribute is #chlo<comparison_direction …>.
func (v ComparisonDirection) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return comparisonDirections.Attribute(c, v)
}

// AsComparisonDirection reads the attribute; false where it is another one.
func AsComparisonDirection(a mlir.Attribute) (ComparisonDirection, bool) {
	return comparisonDirections.Read(a)
}

var comparisonDirections = ods.Enum[ComparisonDirection]{
	Dialect: "chlo", What: "comparison direction", Prefix: "#chlo<comparison_direction ",
	Keywords: []ComparisonDirection{CompareEQ, CompareNE, CompareGE, CompareGT, CompareLE, CompareLT},
	Symbol:   "chloComparisonDirectionAttrGet",
	Make:     capi.ChloComparisonDirectionAttrGet, Is: capi.ChloAttributeIsAComparisonDirectionAttr, Value: capi.ChloComparisonDirectionAttrGetValue,
}

// ComparisonType is in which order broadcast_compare sees its operands.
type ComparisonType string

const (
	CompareNoType     ComparisonType = "NOTYPE"
	CompareFloat      ComparisonType = "FLOAT"
	CompareTotalOrder ComparisonType = "TOTALORDER"
	CompareSigned     ComparisonType = "SIGNED"
	CompareUnsigned   ComparisonType = "UNSIGNED"
)

// Attribute is #chlo<comparison_type …>.
func (v ComparisonType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return comparisonTypes.Attribute(c, v)
}

// AsComparisonType reads the attribute; false where it is another one.
func AsComparisonType(a mlir.Attribute) (ComparisonType, bool) { return comparisonTypes.Read(a) }

var comparisonTypes = ods.Enum[ComparisonType]{
	Dialect: "chlo", What: "comparison type", Prefix: "#chlo<comparison_type ",
	Keywords: []ComparisonType{CompareNoType, CompareFloat, CompareTotalOrder, CompareSigned, CompareUnsigned},
	Symbol:   "chloComparisonTypeAttrGet",
	Make:     capi.ChloComparisonTypeAttrGet, Is: capi.ChloAttributeIsAComparisonTypeAttr, Value: capi.ChloComparisonTypeAttrGetValue,
}

// Precision is how exact the multiplication of an operand has to be.
type Precision string

const (
	PrecisionDefault Precision = "DEFAULT"
	PrecisionHigh    Precision = "HIGH"
	PrecisionHighest Precision = "HIGHEST"
)

// Attribute is #chlo<precision …>.
func (v Precision) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return precisions.Attribute(c, v)
}

// AsPrecision reads the attribute; false where it is another one.
func AsPrecision(a mlir.Attribute) (Precision, bool) { return precisions.Read(a) }

var precisions = ods.Enum[Precision]{
	Dialect: "chlo", What: "precision", Prefix: "#chlo<precision ",
	Keywords: []Precision{PrecisionDefault, PrecisionHigh, PrecisionHighest},
	Symbol:   "chloPrecisionAttrGet",
	Make:     capi.ChloPrecisionAttrGet, Is: capi.ChloAttributeIsAPrecisionAttr, Value: capi.ChloPrecisionAttrGetValue,
}
