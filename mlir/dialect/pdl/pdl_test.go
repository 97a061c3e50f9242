package pdl_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/pdl"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		kinds := func(t mlir.Type) []bool {
			return []bool{pdl.Is(t), pdl.IsAttribute(t), pdl.IsOperation(t), pdl.IsRange(t), pdl.IsType(t),
				pdl.IsValue(t)}
		}
		for _, test := range []struct {
			function, want string
			make           func(*mlir.Context) (mlir.Type, error)
			kinds          []bool
		}{
			{"mlirPDLAttributeTypeGet", "attribute", pdl.AttributeType, []bool{true, true, false, false, false, false}},
			{"mlirPDLOperationTypeGet", "operation", pdl.OperationType, []bool{true, false, true, false, false, false}},
			{"mlirPDLTypeTypeGet", "type", pdl.TypeType, []bool{true, false, false, false, true, false}},
			{"mlirPDLValueTypeGet", "value", pdl.ValueType, []bool{true, false, false, false, false, true}},
		} {
			got, err := test.make(c)
			if !mlirtest.Supported(t, c.Library(), err, test.function) {
				continue
			}
			check.Diff(t, "the type", "!pdl."+test.want, got.String())
			check.Diff(t, "its kind", test.kinds, kinds(got))
			list := check.Must(pdl.RangeType(got))
			check.Diff(t, "the range", "!pdl.range<"+test.want+">", list.String())
			check.Diff(t, "its kind", []bool{true, false, false, true, false, false}, kinds(list))
			check.Diff(t, "its element", got.String(), check.Must(pdl.RangeElement(list)).String())
			_, err = pdl.RangeType(list)
			check.Error(t, err, "is not an element type of a range")
		}
		i32 := mlirtest.Type(c, "i32")
		check.Diff(t, "i32", make([]bool, 6), kinds(i32))
		_, err := pdl.RangeType(i32)
		check.Error(t, err, "i32 is not an element type of a range")
		_, err = pdl.RangeElement(i32)
		check.Error(t, err, "i32 is not a range")
		check.Panics(t, "pdl.RangeType called on a zero value", func() { pdl.RangeType(mlir.Type{}) })
	})
}
