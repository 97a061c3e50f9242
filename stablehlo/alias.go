package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo/internal/ods"
)

// OutputOperandAlias says that a part of a custom call's output and a part of one of
// its operands are one piece of memory (StableHLO specification, custom_call).
type OutputOperandAlias struct {
	// OutputTupleIndices is the path into the results: empty for the only result,
	// [i] for the i-th of several. Empty with several results means the tuple of all
	// of them, which is hardly ever meant.
	OutputTupleIndices []int64
	OperandIndex       int64
	// OperandTupleIndices is the path into an operand that is a tuple, else empty.
	OperandTupleIndices []int64
}

// Attribute is #stablehlo.output_operand_alias<…>.
func (a OutputOperandAlias) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return structured(c, "stablehloOutputOperandAliasGet", a.String, func(t *capi.Table) capi.MlirAttribute {
		return capi.StablehloOutputOperandAliasGet(t, c.Raw(), len(a.OutputTupleIndices), ods.First(a.OutputTupleIndices),
			a.OperandIndex, len(a.OperandTupleIndices), ods.First(a.OperandTupleIndices))
	})
}

// String is the attribute's text.
func (a OutputOperandAlias) String() string {
	return fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = %s, operand_index = %d, operand_tuple_indices = %s>",
		ods.List(a.OutputTupleIndices), a.OperandIndex, ods.List(a.OperandTupleIndices))
}

// AsOutputOperandAlias reads the attribute; false where it is another one.
func AsOutputOperandAlias(attr mlir.Attribute) (OutputOperandAlias, bool) {
	t, a, ok := handle(attr, "stablehloAttributeIsAOutputOperandAlias")
	if !ok {
		return parseAlias(text(attr))
	}
	if !capi.StablehloAttributeIsAOutputOperandAlias(t, a) {
		return OutputOperandAlias{}, false
	}
	return OutputOperandAlias{
		OutputTupleIndices:  ods.Gather(t, a, capi.StablehloOutputOperandAliasGetOutputTupleIndicesSize, capi.StablehloOutputOperandAliasGetOutputTupleIndicesElem),
		OperandIndex:        capi.StablehloOutputOperandAliasGetOperandIndex(t, a),
		OperandTupleIndices: ods.Gather(t, a, capi.StablehloOutputOperandAliasGetOperandTupleIndicesSize, capi.StablehloOutputOperandAliasGetOperandTupleIndicesElem),
	}, true
}

// parseAlias reads the printed form, for libraries without the StableHLO C API.
func parseAlias(text string) (OutputOperandAlias, bool) {
	f, ok := ods.Fields(text, "#stablehlo.output_operand_alias")
	ok = ok && len(f) == 3
	a := OutputOperandAlias{
		OutputTupleIndices:  ods.Numbers(f["output_tuple_indices"], &ok),
		OperandIndex:        ods.Number(f["operand_index"], &ok),
		OperandTupleIndices: ods.Numbers(f["operand_tuple_indices"], &ok),
	}
	if !ok {
		return OutputOperandAlias{}, false
	}
	return a, true
}
