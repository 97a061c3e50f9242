package stablehlo

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A DotAlgorithm is the algorithm that computes dot_general (StableHLO specification,
// dot_general, dot_algorithm).
type DotAlgorithm struct {
	LHSPrecisionType, RHSPrecisionType   mlir.Type
	AccumulationType                     mlir.Type
	LHSComponentCount, RHSComponentCount int64
	NumPrimitiveOperations               int64
	AllowImpreciseAccumulation           bool
}

// Attribute returns #stablehlo.dot_algorithm<…>. The three types are required.
func (d DotAlgorithm) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	for _, t := range []mlir.Type{d.LHSPrecisionType, d.RHSPrecisionType, d.AccumulationType} {
		if t.IsNil() {
			return mlir.Attribute{},
				fmt.Errorf("a dot algorithm needs LHSPrecisionType, RHSPrecisionType and AccumulationType")
		}
	}
	const method = "DotAlgorithm.Attribute"
	lhs, rhs, accumulation := raw.TypeIn(d.LHSPrecisionType, c, method), raw.TypeIn(d.RHSPrecisionType, c, method),
		raw.TypeIn(d.AccumulationType, c, method)
	return ods.NewAttribute(c, "stablehlo", "stablehloDotAlgorithmGet", d.String,
		func(t *capi.Table, raw capi.MlirContext) capi.MlirAttribute {
			return capi.StablehloDotAlgorithmGet(t, raw, lhs, rhs, accumulation,
				d.LHSComponentCount, d.RHSComponentCount, d.NumPrimitiveOperations, d.AllowImpreciseAccumulation)
		})
}

// String returns the attribute's text.
func (d DotAlgorithm) String() string {
	return fmt.Sprintf("#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = %s, lhs_component_count = %d, rhs_component_count = %d, num_primitive_operations = %d, allow_imprecise_accumulation = %t>",
		d.LHSPrecisionType, d.RHSPrecisionType, d.AccumulationType, d.LHSComponentCount, d.RHSComponentCount,
		d.NumPrimitiveOperations, d.AllowImpreciseAccumulation)
}

// AsDotAlgorithm returns attr as a DotAlgorithm. It returns false if attr is another
// attribute.
func AsDotAlgorithm(attr mlir.Attribute) (DotAlgorithm, bool) {
	t, a, ok := ods.Handle(attr, "stablehloAttributeIsADotAlgorithm")
	if !ok {
		return parseDotAlgorithm(attr)
	}
	if !capi.StablehloAttributeIsADotAlgorithm(t, a) {
		return DotAlgorithm{}, false
	}
	c := attr.Context()
	return DotAlgorithm{
		LHSPrecisionType:           raw.WrapType(c, capi.StablehloDotAlgorithmGetLhsPrecisionType(t, a)),
		RHSPrecisionType:           raw.WrapType(c, capi.StablehloDotAlgorithmGetRhsPrecisionType(t, a)),
		AccumulationType:           raw.WrapType(c, capi.StablehloDotAlgorithmGetAccumulationType(t, a)),
		LHSComponentCount:          capi.StablehloDotAlgorithmGetLhsComponentCount(t, a),
		RHSComponentCount:          capi.StablehloDotAlgorithmGetRhsComponentCount(t, a),
		NumPrimitiveOperations:     capi.StablehloDotAlgorithmGetNumPrimitiveOperations(t, a),
		AllowImpreciseAccumulation: capi.StablehloDotAlgorithmGetAllowImpreciseAccumulation(t, a),
	}, true
}

func parseDotAlgorithm(attr mlir.Attribute) (d DotAlgorithm, ok bool) {
	f, ok := ods.Fields(ods.TextOf(attr), "#stablehlo.dot_algorithm<")
	if !ok {
		return d, false
	}
	for name, t := range map[string]*mlir.Type{
		"lhs_precision_type": &d.LHSPrecisionType, "rhs_precision_type": &d.RHSPrecisionType,
		"accumulation_type": &d.AccumulationType,
	} {
		parsed, err := attr.Context().ParseType(strings.TrimSpace(f[name]))
		*t, ok = parsed, ok && err == nil
	}
	d.LHSComponentCount = ods.FieldInt(f["lhs_component_count"], &ok)
	d.RHSComponentCount = ods.FieldInt(f["rhs_component_count"], &ok)
	d.NumPrimitiveOperations = ods.FieldInt(f["num_primitive_operations"], &ok)
	d.AllowImpreciseAccumulation = f["allow_imprecise_accumulation"] == "true"
	return d, ok
}
