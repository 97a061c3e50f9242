package stablehlo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
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
	if err := c.LoadDialect("stablehlo"); err != nil {
		return mlir.Attribute{}, err
	}
	if c.Library().Has("stablehloOutputOperandAliasGet") {
		return c.WrapAttribute(capi.StablehloOutputOperandAliasGet(c.Library().RawTable(), c.Raw(),
			len(a.OutputTupleIndices), first(a.OutputTupleIndices), a.OperandIndex,
			len(a.OperandTupleIndices), first(a.OperandTupleIndices))), nil
	}
	return c.ParseAttribute(a.String())
}

// String is the attribute's text.
func (a OutputOperandAlias) String() string {
	return fmt.Sprintf("#stablehlo.output_operand_alias<output_tuple_indices = %s, operand_index = %d, operand_tuple_indices = %s>",
		list(a.OutputTupleIndices), a.OperandIndex, list(a.OperandTupleIndices))
}

// AsOutputOperandAlias reads the attribute; false where it is another one.
func AsOutputOperandAlias(attr mlir.Attribute) (OutputOperandAlias, bool) {
	if attr.IsNil() {
		return OutputOperandAlias{}, false
	}
	lib := attr.Context().Library()
	if !lib.Has("stablehloAttributeIsAOutputOperandAlias") {
		return parseAlias(attr.String())
	}
	t, raw := lib.RawTable(), attr.Raw()
	if !capi.StablehloAttributeIsAOutputOperandAlias(t, raw) {
		return OutputOperandAlias{}, false
	}
	a := OutputOperandAlias{OperandIndex: capi.StablehloOutputOperandAliasGetOperandIndex(t, raw)}
	for i := range capi.StablehloOutputOperandAliasGetOutputTupleIndicesSize(t, raw) {
		a.OutputTupleIndices = append(a.OutputTupleIndices, capi.StablehloOutputOperandAliasGetOutputTupleIndicesElem(t, raw, i))
	}
	for i := range capi.StablehloOutputOperandAliasGetOperandTupleIndicesSize(t, raw) {
		a.OperandTupleIndices = append(a.OperandTupleIndices, capi.StablehloOutputOperandAliasGetOperandTupleIndicesElem(t, raw, i))
	}
	return a, true
}

// parseAlias reads the printed form, for libraries without the StableHLO C API.
func parseAlias(text string) (a OutputOperandAlias, ok bool) {
	body, ok := strings.CutPrefix(text, "#stablehlo.output_operand_alias<")
	if !ok {
		return a, false
	}
	numbers := func(key string) (out []int64, ok bool) {
		_, rest, ok := strings.Cut(body, key+" = ")
		if !ok {
			return nil, false
		}
		if inside, isList := strings.CutPrefix(rest, "["); isList {
			rest, _, ok = strings.Cut(inside, "]")
		} else {
			rest, _, _ = strings.Cut(strings.TrimSuffix(rest, ">"), ",")
		}
		for field := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return nil, false
			}
			out = append(out, n)
		}
		return out, ok
	}
	var ok1, ok2, ok3 bool
	var operand []int64
	a.OutputTupleIndices, ok1 = numbers("output_tuple_indices")
	operand, ok2 = numbers("operand_index")
	a.OperandTupleIndices, ok3 = numbers("operand_tuple_indices")
	if !ok1 || !ok2 || !ok3 || len(operand) != 1 {
		return OutputOperandAlias{}, false
	}
	a.OperandIndex = operand[0]
	return a, true
}

func list(numbers []int64) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}

// first is a pointer to the first element, nil for an empty slice.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
