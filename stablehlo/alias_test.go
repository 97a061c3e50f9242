package stablehlo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

var aliases = []struct {
	alias OutputOperandAlias
	text  string
}{
	{OutputOperandAlias{}, "output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []"},
	{OutputOperandAlias{OutputTupleIndices: []int64{}, OperandTupleIndices: []int64{}},
		"output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []"},
	{OutputOperandAlias{OutputTupleIndices: []int64{2}, OperandIndex: 1},
		"output_tuple_indices = [2], operand_index = 1, operand_tuple_indices = []"},
	{OutputOperandAlias{OperandIndex: 12, OperandTupleIndices: []int64{3, 0}},
		"output_tuple_indices = [], operand_index = 12, operand_tuple_indices = [3, 0]"},
	{OutputOperandAlias{OutputTupleIndices: []int64{1, 0, 1 << 40}, OperandIndex: 1 << 33, OperandTupleIndices: []int64{0}}, "output_tuple_indices = [1, 0, 1099511627776], operand_index = 8589934592, operand_tuple_indices = [0]"},
	{OutputOperandAlias{OutputTupleIndices: []int64{-1}, OperandIndex: -2, OperandTupleIndices: []int64{-3}},
		"output_tuple_indices = [-1], operand_index = -2, operand_tuple_indices = [-3]"},
}

// TestAlias makes and reads each alias both with the StableHLO C API and as text, as in
// libraries without that API.
func TestAlias(t *testing.T) {
	c := mlirtest.Context(t)
	for _, test := range aliases {
		text := "#stablehlo.output_operand_alias<" + test.text + ">"
		t.Run(test.text, func(t *testing.T) {
			attribute, err := test.alias.Attribute(c)
			check.NoError(t, err)
			check.Diff(t, "printed by MLIR", text, attribute.String())
			check.Diff(t, "printed here", text, test.alias.String())
			parsed, err := c.ParseAttribute(test.alias.String())
			if err != nil || !parsed.Equal(attribute) {
				t.Errorf("the text parses as %v, %v", parsed, err)
			}
			read, ok := AsOutputOperandAlias(attribute)
			if d := cmp.Diff(test.alias, read, cmpopts.EquateEmpty()); d != "" || !ok {
				t.Errorf("read through the C API: %v (-want +got):\n%s", ok, d)
			}
			read, ok = parseOutputOperandAlias(attribute.String())
			if d := cmp.Diff(test.alias, read, cmpopts.EquateEmpty()); d != "" || !ok {
				t.Errorf("read from the text: %v (-want +got):\n%s", ok, d)
			}
		})
	}
}

func TestNoAlias(t *testing.T) {
	c := mlirtest.Context(t)
	for _, text := range []string{"unit", `"#stablehlo.output_operand_alias<>"`, "[]", "#stablehlo<precision HIGH>",
		"{operand_index = 1 : i64}"} {
		attribute, err := c.ParseAttribute(text)
		check.NoError(t, err)
		if a, ok := AsOutputOperandAlias(attribute); ok {
			t.Errorf("%s was read as %v", text, a)
		}
		if a, ok := parseOutputOperandAlias(attribute.String()); ok {
			t.Errorf("the text %s was read as %v", text, a)
		}
	}
	for _, body := range []string{
		"", ">", "output_tuple_indices = [], operand_index = 0>",
		"output_tuple_indices = [0, operand_index = 0, operand_tuple_indices = []>",
		"output_tuple_indices = [], operand_index = [], operand_tuple_indices = []>",
		"output_tuple_indices = [], operand_index = 1 2, operand_tuple_indices = []>",
		"output_tuple_indices = [1x], operand_index = 0, operand_tuple_indices = []>",
		"output_tuple_indices = [], operand_index = 99999999999999999999, operand_tuple_indices = []>",
	} {
		if a, ok := parseOutputOperandAlias("#stablehlo.output_operand_alias<" + body); ok {
			t.Errorf("%q was read as %v", body, a)
		}
	}
}
