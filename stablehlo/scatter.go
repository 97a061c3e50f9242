package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// ScatterDimensionNumbers says how the dimensions of scatter's operands go together
// (StableHLO specification, scatter).
type ScatterDimensionNumbers struct {
	UpdateWindowDims           []int64
	InsertedWindowDims         []int64
	InputBatchingDims          []int64
	ScatterIndicesBatchingDims []int64
	ScatterDimsToOperandDims   []int64
	IndexVectorDim             int64
}

// Attribute is #stablehlo.scatter<…>.
func (d ScatterDimensionNumbers) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return structured(c, "stablehloScatterDimensionNumbersGet", d.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloScatterDimensionNumbersGet(t, c.Raw(),
			len(d.UpdateWindowDims), ods.First(d.UpdateWindowDims),
			len(d.InsertedWindowDims), ods.First(d.InsertedWindowDims),
			len(d.InputBatchingDims), ods.First(d.InputBatchingDims),
			len(d.ScatterIndicesBatchingDims), ods.First(d.ScatterIndicesBatchingDims),
			len(d.ScatterDimsToOperandDims), ods.First(d.ScatterDimsToOperandDims),
			d.IndexVectorDim)
	})
}

// String is the attribute's text.
func (d ScatterDimensionNumbers) String() string {
	return fmt.Sprintf("#stablehlo.scatter<update_window_dims = %s, inserted_window_dims = %s, input_batching_dims = %s, scatter_indices_batching_dims = %s, scatter_dims_to_operand_dims = %s, index_vector_dim = %d>",
		ods.List(d.UpdateWindowDims), ods.List(d.InsertedWindowDims), ods.List(d.InputBatchingDims),
		ods.List(d.ScatterIndicesBatchingDims), ods.List(d.ScatterDimsToOperandDims), d.IndexVectorDim)
}

// AsScatterDimensionNumbers reads the attribute; false where it is another one.
func AsScatterDimensionNumbers(attr mlir.Attribute) (ScatterDimensionNumbers, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsAScatterDimensionNumbers")
	if !ok {
		return parseScatterDimensionNumbers(text(attr))
	}
	if !capi.StablehloAttributeIsAScatterDimensionNumbers(t, a) {
		return ScatterDimensionNumbers{}, false
	}
	return ScatterDimensionNumbers{
		UpdateWindowDims:           ods.Gather(t, a, capi.StablehloScatterDimensionNumbersGetUpdateWindowDimsSize, capi.StablehloScatterDimensionNumbersGetUpdateWindowDimsElem),
		InsertedWindowDims:         ods.Gather(t, a, capi.StablehloScatterDimensionNumbersGetInsertedWindowDimsSize, capi.StablehloScatterDimensionNumbersGetInsertedWindowDimsElem),
		InputBatchingDims:          ods.Gather(t, a, capi.StablehloScatterDimensionNumbersGetInputBatchingDimsSize, capi.StablehloScatterDimensionNumbersGetInputBatchingDimsElem),
		ScatterIndicesBatchingDims: ods.Gather(t, a, capi.StablehloScatterDimensionNumbersGetScatterIndicesBatchingDimsSize, capi.StablehloScatterDimensionNumbersGetScatterIndicesBatchingDimsElem),
		ScatterDimsToOperandDims:   ods.Gather(t, a, capi.StablehloScatterDimensionNumbersGetScatteredDimsToOperandDimsSize, capi.StablehloScatterDimensionNumbersGetScatteredDimsToOperandDimsElem),
		IndexVectorDim:             capi.StablehloDimensionNumbersGetIndexVectorDim(t, a),
	}, true
}

func parseScatterDimensionNumbers(text string) (d ScatterDimensionNumbers, ok bool) {
	f, ok := ods.Fields(text, "#stablehlo.scatter")
	d.UpdateWindowDims = ods.Numbers(f["update_window_dims"], &ok)
	d.InsertedWindowDims = ods.Numbers(f["inserted_window_dims"], &ok)
	d.InputBatchingDims = ods.Numbers(f["input_batching_dims"], &ok)
	d.ScatterIndicesBatchingDims = ods.Numbers(f["scatter_indices_batching_dims"], &ok)
	d.ScatterDimsToOperandDims = ods.Numbers(f["scatter_dims_to_operand_dims"], &ok)
	d.IndexVectorDim = ods.Number(f["index_vector_dim"], &ok)
	return d, ok
}
