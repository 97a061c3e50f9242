package stablehlo

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// DotDimensionNumbers says which dimensions of its operands dot_general takes
// together (StableHLO specification, dot_general). The i-th batching or contracting
// dimension of one operand goes with the i-th of the other.
type DotDimensionNumbers struct {
	LHSBatchingDimensions, RHSBatchingDimensions       []int64
	LHSContractingDimensions, RHSContractingDimensions []int64
}

// Attribute is #stablehlo.dot<…>.
func (d DotDimensionNumbers) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return structured(c, "stablehloDotDimensionNumbersGet", d.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloDotDimensionNumbersGet(t, c.Raw(),
			len(d.LHSBatchingDimensions), ods.First(d.LHSBatchingDimensions),
			len(d.RHSBatchingDimensions), ods.First(d.RHSBatchingDimensions),
			len(d.LHSContractingDimensions), ods.First(d.LHSContractingDimensions),
			len(d.RHSContractingDimensions), ods.First(d.RHSContractingDimensions))
	})
}

// String is the attribute's text.
func (d DotDimensionNumbers) String() string {
	return fmt.Sprintf("#stablehlo.dot<lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, lhs_contracting_dimensions = %s, rhs_contracting_dimensions = %s>",
		ods.List(d.LHSBatchingDimensions), ods.List(d.RHSBatchingDimensions),
		ods.List(d.LHSContractingDimensions), ods.List(d.RHSContractingDimensions))
}

// AsDotDimensionNumbers reads the attribute; false where it is another one.
func AsDotDimensionNumbers(attr mlir.Attribute) (DotDimensionNumbers, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsADotDimensionNumbers")
	if !ok {
		return parseDotDimensionNumbers(text(attr))
	}
	if !capi.StablehloAttributeIsADotDimensionNumbers(t, a) {
		return DotDimensionNumbers{}, false
	}
	return DotDimensionNumbers{
		LHSBatchingDimensions:    ods.Gather(t, a, capi.StablehloDotDimensionNumbersGetLhsBatchingDimensionsSize, capi.StablehloDotDimensionNumbersGetLhsBatchingDimensionsElem),
		RHSBatchingDimensions:    ods.Gather(t, a, capi.StablehloDotDimensionNumbersGetRhsBatchingDimensionsSize, capi.StablehloDotDimensionNumbersGetRhsBatchingDimensionsElem),
		LHSContractingDimensions: ods.Gather(t, a, capi.StablehloDotDimensionNumbersGetLhsContractingDimensionsSize, capi.StablehloDotDimensionNumbersGetLhsContractingDimensionsElem),
		RHSContractingDimensions: ods.Gather(t, a, capi.StablehloDotDimensionNumbersGetRhsContractingDimensionsSize, capi.StablehloDotDimensionNumbersGetRhsContractingDimensionsElem),
	}, true
}

func parseDotDimensionNumbers(text string) (d DotDimensionNumbers, ok bool) {
	f, ok := ods.Fields(text, "#stablehlo.dot")
	d.LHSBatchingDimensions = ods.Numbers(f["lhs_batching_dimensions"], &ok)
	d.RHSBatchingDimensions = ods.Numbers(f["rhs_batching_dimensions"], &ok)
	d.LHSContractingDimensions = ods.Numbers(f["lhs_contracting_dimensions"], &ok)
	d.RHSContractingDimensions = ods.Numbers(f["rhs_contracting_dimensions"], &ok)
	return d, ok
}

// DotAlgorithm says how dot_general is to be computed (StableHLO specification,
// dot_general, dot_algorithm).
type DotAlgorithm struct {
	LHSPrecisionType, RHSPrecisionType   mlir.Type
	AccumulationType                     mlir.Type
	LHSComponentCount, RHSComponentCount int64
	NumPrimitiveOperations               int64
	AllowImpreciseAccumulation           bool
}

// Attribute is #stablehlo.dot_algorithm<…>. The three types are needed.
func (d DotAlgorithm) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	for _, t := range []mlir.Type{d.LHSPrecisionType, d.RHSPrecisionType, d.AccumulationType} {
		if t.IsNil() {
			return mlir.Attribute{}, fmt.Errorf("a dot algorithm needs LHSPrecisionType, RHSPrecisionType and AccumulationType")
		}
	}
	const method = "DotAlgorithm.Attribute"
	lhs, rhs, accumulation := d.LHSPrecisionType.In(c, method), d.RHSPrecisionType.In(c, method), d.AccumulationType.In(c, method)
	return structured(c, "stablehloDotAlgorithmGet", d.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloDotAlgorithmGet(t, c.Raw(), lhs, rhs, accumulation,
			d.LHSComponentCount, d.RHSComponentCount, d.NumPrimitiveOperations, d.AllowImpreciseAccumulation)
	})
}

// String is the attribute's text.
func (d DotAlgorithm) String() string {
	return fmt.Sprintf("#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = %s, lhs_component_count = %d, rhs_component_count = %d, num_primitive_operations = %d, allow_imprecise_accumulation = %t>",
		d.LHSPrecisionType, d.RHSPrecisionType, d.AccumulationType, d.LHSComponentCount, d.RHSComponentCount, d.NumPrimitiveOperations, d.AllowImpreciseAccumulation)
}

// AsDotAlgorithm reads the attribute; false where it is another one.
func AsDotAlgorithm(attr mlir.Attribute) (DotAlgorithm, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsADotAlgorithm")
	if !ok {
		return parseDotAlgorithm(attr)
	}
	if !capi.StablehloAttributeIsADotAlgorithm(t, a) {
		return DotAlgorithm{}, false
	}
	c := attr.Context()
	return DotAlgorithm{
		LHSPrecisionType:           c.WrapType(capi.StablehloDotAlgorithmGetLhsPrecisionType(t, a)),
		RHSPrecisionType:           c.WrapType(capi.StablehloDotAlgorithmGetRhsPrecisionType(t, a)),
		AccumulationType:           c.WrapType(capi.StablehloDotAlgorithmGetAccumulationType(t, a)),
		LHSComponentCount:          capi.StablehloDotAlgorithmGetLhsComponentCount(t, a),
		RHSComponentCount:          capi.StablehloDotAlgorithmGetRhsComponentCount(t, a),
		NumPrimitiveOperations:     capi.StablehloDotAlgorithmGetNumPrimitiveOperations(t, a),
		AllowImpreciseAccumulation: capi.StablehloDotAlgorithmGetAllowImpreciseAccumulation(t, a),
	}, true
}

func parseDotAlgorithm(attr mlir.Attribute) (d DotAlgorithm, ok bool) {
	f, ok := ods.Fields(text(attr), "#stablehlo.dot_algorithm")
	if !ok {
		return d, false
	}
	for name, t := range map[string]*mlir.Type{
		"lhs_precision_type": &d.LHSPrecisionType, "rhs_precision_type": &d.RHSPrecisionType, "accumulation_type": &d.AccumulationType,
	} {
		parsed, err := attr.Context().ParseType(strings.TrimSpace(f[name]))
		*t, ok = parsed, ok && err == nil
	}
	d.LHSComponentCount = ods.Number(f["lhs_component_count"], &ok)
	d.RHSComponentCount = ods.Number(f["rhs_component_count"], &ok)
	d.NumPrimitiveOperations = ods.Number(f["num_primitive_operations"], &ok)
	d.AllowImpreciseAccumulation = f["allow_imprecise_accumulation"] == "true"
	return d, ok
}
