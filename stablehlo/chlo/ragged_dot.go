package chlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// RaggedDotDimensionNumbers says which dimensions of its operands ragged_dot takes
// together, and which are ragged.
type RaggedDotDimensionNumbers struct {
	LHSBatchingDimensions, RHSBatchingDimensions       []int64
	LHSContractingDimensions, RHSContractingDimensions []int64
	LHSRaggedDimensions                                []int64
	RHSGroupDimensions                                 []int64
}

// Attribute is #chlo.ragged_dot<…>.
func (d RaggedDotDimensionNumbers) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	if err := c.LoadDialect("chlo"); err != nil {
		return mlir.Attribute{}, err
	}
	l := c.Library()
	if !l.Has("chloRaggedDotDimensionNumbersGet") {
		return c.ParseAttribute(d.String())
	}
	return c.WrapAttribute(capi.ChloRaggedDotDimensionNumbersGet(l.RawTable(), c.Raw(),
		len(d.LHSBatchingDimensions), ods.First(d.LHSBatchingDimensions),
		len(d.RHSBatchingDimensions), ods.First(d.RHSBatchingDimensions),
		len(d.LHSContractingDimensions), ods.First(d.LHSContractingDimensions),
		len(d.RHSContractingDimensions), ods.First(d.RHSContractingDimensions),
		len(d.LHSRaggedDimensions), ods.First(d.LHSRaggedDimensions),
		len(d.RHSGroupDimensions), ods.First(d.RHSGroupDimensions))), nil
}

// String is the attribute's text.
func (d RaggedDotDimensionNumbers) String() string {
	return fmt.Sprintf("#chlo.ragged_dot<lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, lhs_contracting_dimensions = %s, rhs_contracting_dimensions = %s, lhs_ragged_dimensions = %s, rhs_group_dimensions = %s>",
		ods.List(d.LHSBatchingDimensions), ods.List(d.RHSBatchingDimensions),
		ods.List(d.LHSContractingDimensions), ods.List(d.RHSContractingDimensions),
		ods.List(d.LHSRaggedDimensions), ods.List(d.RHSGroupDimensions))
}

// AsRaggedDotDimensionNumbers reads the attribute; false where it is another one.
func AsRaggedDotDimensionNumbers(attr mlir.Attribute) (RaggedDotDimensionNumbers, bool) {
	if attr.IsNil() {
		return RaggedDotDimensionNumbers{}, false
	}
	l := attr.Context().Library()
	if !l.Has("chloAttributeIsARaggedDotDimensionNumbers") {
		return parseRaggedDot(attr.String())
	}
	t, a := l.RawTable(), attr.Raw()
	if !capi.ChloAttributeIsARaggedDotDimensionNumbers(t, a) {
		return RaggedDotDimensionNumbers{}, false
	}
	return RaggedDotDimensionNumbers{
		LHSBatchingDimensions:    ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetLhsBatchingDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetLhsBatchingDimensionsElem),
		RHSBatchingDimensions:    ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetRhsBatchingDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetRhsBatchingDimensionsElem),
		LHSContractingDimensions: ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetLhsContractingDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetLhsContractingDimensionsElem),
		RHSContractingDimensions: ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetRhsContractingDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetRhsContractingDimensionsElem),
		LHSRaggedDimensions:      ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetLhsRaggedDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetLhsRaggedDimensionsElem),
		RHSGroupDimensions:       ods.Gather(t, a, capi.ChloRaggedDotDimensionNumbersGetRhsGroupDimensionsSize, capi.ChloRaggedDotDimensionNumbersGetRhsGroupDimensionsElem),
	}, true
}

func parseRaggedDot(text string) (d RaggedDotDimensionNumbers, ok bool) {
	f, ok := ods.Fields(text, "#chlo.ragged_dot")
	d.LHSBatchingDimensions = ods.Numbers(f["lhs_batching_dimensions"], &ok)
	d.RHSBatchingDimensions = ods.Numbers(f["rhs_batching_dimensions"], &ok)
	d.LHSContractingDimensions = ods.Numbers(f["lhs_contracting_dimensions"], &ok)
	d.RHSContractingDimensions = ods.Numbers(f["rhs_contracting_dimensions"], &ok)
	d.LHSRaggedDimensions = ods.Numbers(f["lhs_ragged_dimensions"], &ok)
	d.RHSGroupDimensions = ods.Numbers(f["rhs_group_dimensions"], &ok)
	return d, ok
}
