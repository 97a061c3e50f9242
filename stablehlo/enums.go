package stablehlo

import (
	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// The keywords of enumerations stand here. In a field that may be left out the empty
// string leaves it out; anywhere else it is an error, as is any other word.

// ComparisonDirection is how compare compares.
type ComparisonDirection string

const (
	CompareEQ ComparisonDirection = "EQ"
	CompareNE ComparisonDirection = "NE"
	CompareGE ComparisonDirection = "GE"
	CompareGT ComparisonDirection = "GT"
	CompareLE ComparisonDirection = "LE"
	CompareLT ComparisonDirection = "LT"
)

// Attribute is #stablehlo<comparison_direction …>.
func (v ComparisonDirection) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return comparisonDirections.Attribute(c, v)
}

// AsComparisonDirection reads the attribute; false where it is another one.
func AsComparisonDirection(a mlir.Attribute) (ComparisonDirection, bool) {
	return comparisonDirections.Read(a)
}

var comparisonDirections = ods.Enum[ComparisonDirection]{
	Dialect: "stablehlo", What: "comparison direction", Prefix: "#stablehlo<comparison_direction ",
	Keywords: []ComparisonDirection{CompareEQ, CompareNE, CompareGE, CompareGT, CompareLE, CompareLT},
	Symbol:   "stablehloComparisonDirectionAttrGet",
	Make:     capi.StablehloComparisonDirectionAttrGet, Is: capi.StablehloAttributeIsAComparisonDirectionAttr, Value: capi.StablehloComparisonDirectionAttrGetValue,
}

// ComparisonType is in which order compare sees its operands.
type ComparisonType string

const (
	CompareNoType     ComparisonType = "NOTYPE"
	CompareFloat      ComparisonType = "FLOAT"
	CompareTotalOrder ComparisonType = "TOTALORDER"
	CompareSigned     ComparisonType = "SIGNED"
	CompareUnsigned   ComparisonType = "UNSIGNED"
)

// Attribute is #stablehlo<comparison_type …>.
func (v ComparisonType) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return comparisonTypes.Attribute(c, v)
}

// AsComparisonType reads the attribute; false where it is another one.
func AsComparisonType(a mlir.Attribute) (ComparisonType, bool) { return comparisonTypes.Read(a) }

var comparisonTypes = ods.Enum[ComparisonType]{
	Dialect: "stablehlo", What: "comparison type", Prefix: "#stablehlo<comparison_type ",
	Keywords: []ComparisonType{CompareNoType, CompareFloat, CompareTotalOrder, CompareSigned, CompareUnsigned},
	Symbol:   "stablehloComparisonTypeAttrGet",
	Make:     capi.StablehloComparisonTypeAttrGet, Is: capi.StablehloAttributeIsAComparisonTypeAttr, Value: capi.StablehloComparisonTypeAttrGetValue,
}

// Precision is how exact the multiplication of an operand has to be.
type Precision string

const (
	PrecisionDefault Precision = "DEFAULT"
	PrecisionHigh    Precision = "HIGH"
	PrecisionHighest Precision = "HIGHEST"
)

// Attribute is #stablehlo<precision …>.
func (v Precision) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return precisions.Attribute(c, v)
}

// AsPrecision reads the attribute; false where it is another one.
func AsPrecision(a mlir.Attribute) (Precision, bool) { return precisions.Read(a) }

var precisions = ods.Enum[Precision]{
	Dialect: "stablehlo", What: "precision", Prefix: "#stablehlo<precision ",
	Keywords: []Precision{PrecisionDefault, PrecisionHigh, PrecisionHighest},
	Symbol:   "stablehloPrecisionAttrGet",
	Make:     capi.StablehloPrecisionAttrGet, Is: capi.StablehloAttributeIsAPrecisionAttr, Value: capi.StablehloPrecisionAttrGetValue,
}

// FftType is which Fourier transform fft is.
type FftType string

const (
	FftForward     FftType = "FFT"
	FftInverse     FftType = "IFFT"
	FftReal        FftType = "RFFT"
	FftRealInverse FftType = "IRFFT"
)

// Attribute is #stablehlo<fft_type …>.
func (v FftType) Attribute(c *mlir.Context) (mlir.Attribute, error) { return fftTypes.Attribute(c, v) }

// AsFftType reads the attribute; false where it is another one.
func AsFftType(a mlir.Attribute) (FftType, bool) { return fftTypes.Read(a) }

var fftTypes = ods.Enum[FftType]{
	Dialect: "stablehlo", What: "FFT type", Prefix: "#stablehlo<fft_type ",
	Keywords: []FftType{FftForward, FftInverse, FftReal, FftRealInverse},
	Symbol:   "stablehloFftTypeAttrGet",
	Make:     capi.StablehloFftTypeAttrGet, Is: capi.StablehloAttributeIsAFftTypeAttr, Value: capi.StablehloFftTypeAttrGetValue,
}

// TransposeKind is what triangular_solve does with its first operand before it solves; the
// enumeration itself is named Transpose, as is an operation.
type TransposeKind string

const (
	TransposeInvalid TransposeKind = "TRANSPOSE_INVALID"
	TransposeNone    TransposeKind = "NO_TRANSPOSE"
	TransposePlain   TransposeKind = "TRANSPOSE"
	TransposeAdjoint TransposeKind = "ADJOINT"
)

// Attribute is #stablehlo<transpose …>.
func (v TransposeKind) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return transposeKinds.Attribute(c, v)
}

// AsTransposeKind reads the attribute; false where it is another one.
func AsTransposeKind(a mlir.Attribute) (TransposeKind, bool) { return transposeKinds.Read(a) }

var transposeKinds = ods.Enum[TransposeKind]{
	Dialect: "stablehlo", What: "transpose", Prefix: "#stablehlo<transpose ",
	Keywords: []TransposeKind{TransposeInvalid, TransposeNone, TransposePlain, TransposeAdjoint},
	Symbol:   "stablehloTransposeAttrGet",
	Make:     capi.StablehloTransposeAttrGet, Is: capi.StablehloAttributeIsATransposeAttr, Value: capi.StablehloTransposeAttrGetValue,
}

// RngAlgorithm is how rng_bit_generator makes its bits.
type RngAlgorithm string

const (
	RngDefault  RngAlgorithm = "DEFAULT"
	RngThreeFry RngAlgorithm = "THREE_FRY"
	RngPhilox   RngAlgorithm = "PHILOX"
)

// Attribute is #stablehlo<rng_algorithm …>.
func (v RngAlgorithm) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return rngAlgorithms.Attribute(c, v)
}

// AsRngAlgorithm reads the attribute; false where it is another one.
func AsRngAlgorithm(a mlir.Attribute) (RngAlgorithm, bool) { return rngAlgorithms.Read(a) }

var rngAlgorithms = ods.Enum[RngAlgorithm]{
	Dialect: "stablehlo", What: "RNG algorithm", Prefix: "#stablehlo<rng_algorithm ",
	Keywords: []RngAlgorithm{RngDefault, RngThreeFry, RngPhilox},
	Symbol:   "stablehloRngAlgorithmAttrGet",
	Make:     capi.StablehloRngAlgorithmAttrGet, Is: capi.StablehloAttributeIsARngAlgorithmAttr, Value: capi.StablehloRngAlgorithmAttrGetValue,
}

// RngDistribution is how the numbers of rng are distributed.
type RngDistribution string

const (
	RngUniform RngDistribution = "UNIFORM"
	RngNormal  RngDistribution = "NORMAL"
)

// Attribute is #stablehlo<rng_distribution …>.
func (v RngDistribution) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return rngDistributions.Attribute(c, v)
}

// AsRngDistribution reads the attribute; false where it is another one.
func AsRngDistribution(a mlir.Attribute) (RngDistribution, bool) { return rngDistributions.Read(a) }

var rngDistributions = ods.Enum[RngDistribution]{
	Dialect: "stablehlo", What: "RNG distribution", Prefix: "#stablehlo<rng_distribution ",
	Keywords: []RngDistribution{RngUniform, RngNormal},
	Symbol:   "stablehloRngDistributionAttrGet",
	Make:     capi.StablehloRngDistributionAttrGet, Is: capi.StablehloAttributeIsARngDistributionAttr, Value: capi.StablehloRngDistributionAttrGetValue,
}

// ResultAccuracyMode is how a ResultAccuracy is meant.
type ResultAccuracyMode string

const (
	AccuracyDefault   ResultAccuracyMode = "DEFAULT"
	AccuracyHighest   ResultAccuracyMode = "HIGHEST"
	AccuracyTolerance ResultAccuracyMode = "TOLERANCE"
)

// Attribute is #stablehlo.result_accuracy_mode<…>.
func (v ResultAccuracyMode) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return resultAccuracyModes.Attribute(c, v)
}

// AsResultAccuracyMode reads the attribute; false where it is another one.
func AsResultAccuracyMode(a mlir.Attribute) (ResultAccuracyMode, bool) {
	return resultAccuracyModes.Read(a)
}

var resultAccuracyModes = ods.Enum[ResultAccuracyMode]{
	Dialect: "stablehlo", What: "result accuracy mode", Prefix: "#stablehlo.result_accuracy_mode<",
	Keywords: []ResultAccuracyMode{AccuracyDefault, AccuracyHighest, AccuracyTolerance},
	Symbol:   "stablehloResultAccuracyModeAttrGet",
	Make:     capi.StablehloResultAccuracyModeAttrGet, Is: capi.StablehloAttributeIsAResultAccuracyModeAttr, Value: capi.StablehloResultAccuracyModeAttrGetValue,
}
