package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// GatherDimensionNumbers says how the dimensions of gather's operands and result go
// together (StableHLO specification, gather).
type GatherDimensionNumbers struct {
	OffsetDims               []int64
	CollapsedSliceDims       []int64
	OperandBatchingDims      []int64
	StartIndicesBatchingDims []int64
	StartIndexMap            []int64
	IndexVectorDim           int64
}

// Attribute is #stablehlo.gather<…>.
func (d GatherDimensionNumbers) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return structured(c, "stablehloGatherDimensionNumbersGet", d.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloGatherDimensionNumbersGet(t, c.Raw(),
			len(d.OffsetDims), ods.First(d.OffsetDims),
			len(d.CollapsedSliceDims), ods.First(d.CollapsedSliceDims),
			len(d.OperandBatchingDims), ods.First(d.OperandBatchingDims),
			len(d.StartIndicesBatchingDims), ods.First(d.StartIndicesBatchingDims),
			len(d.StartIndexMap), ods.First(d.StartIndexMap),
			d.IndexVectorDim)
	})
}

// String is the attribute's text.
func (d GatherDimensionNumbers) String() string {
	return fmt.Sprintf("#stablehlo.gather<offset_dims = %s, collapsed_slice_dims = %s, operand_batching_dims = %s, start_indices_batching_dims = %s, start_index_map = %s, index_vector_dim = %d>",
		ods.List(d.OffsetDims), ods.List(d.CollapsedSliceDims), ods.List(d.OperandBatchingDims),
		ods.List(d.StartIndicesBatchingDims), ods.List(d.StartIndexMap), d.IndexVectorDim)
}

// AsGatherDimensionNumbers reads the attribute; false where it is another one.
func AsGatherDimensionNumbers(attr mlir.Attribute) (GatherDimensionNumbers, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsAGatherDimensionNumbers")
	if !ok {
		return parseGatherDimensionNumbers(text(attr))
	}
	if !capi.StablehloAttributeIsAGatherDimensionNumbers(t, a) {
		return GatherDimensionNumbers{}, false
	}
	return GatherDimensionNumbers{
		OffsetDims:               ods.Gather(t, a, capi.StablehloGatherDimensionNumbersGetOffsetDimsSize, capi.StablehloGatherDimensionNumbersGetOffsetDimsElem),
		CollapsedSliceDims:       ods.Gather(t, a, capi.StablehloGatherDimensionNumbersGetCollapsedSliceDimsSize, capi.StablehloGatherDimensionNumbersGetCollapsedSliceDimsElem),
		OperandBatchingDims:      ods.Gather(t, a, capi.StablehloGatherDimensionNumbersGetOperandBatchingDimsSize, capi.StablehloGatherDimensionNumbersGetOperandBatchingDimsElem),
		StartIndicesBatchingDims: ods.Gather(t, a, capi.StablehloGatherDimensionNumbersGetStartIndicesBatchingDimsSize, capi.StablehloGatherDimensionNumbersGetStartIndicesBatchingDimsElem),
		StartIndexMap:            ods.Gather(t, a, capi.StablehloGatherDimensionNumbersGetStartIndexMapSize, capi.StablehloGatherDimensionNumbersGetStartIndexMapElem),
		IndexVectorDim:           capi.StablehloGatherDimensionNumbersGetIndexVectorDim(t, a),
	}, true
}

func parseGatherDimensionNumbers(text string) (d GatherDimensionNumbers, ok bool) {
	f, ok := ods.Fields(text, "#stablehlo.gather")
	d.OffsetDims = ods.Numbers(f["offset_dims"], &ok)
	d.CollapsedSliceDims = ods.Numbers(f["collapsed_slice_dims"], &ok)
	d.OperandBatchingDims = ods.Numbers(f["operand_batching_dims"], &ok)
	d.StartIndicesBatchingDims = ods.Numbers(f["start_indices_batching_dims"], &ok)
	d.StartIndexMap = ods.Numbers(f["start_index_map"], &ok)
	d.IndexVectorDim = ods.Number(f["index_vector_dim"], &ok)
	return d, ok
}
