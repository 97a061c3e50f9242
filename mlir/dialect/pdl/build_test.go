package pdl_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/pdl"
)

// TestShortForms builds a pattern without the types that are always the same.
func TestShortForms(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("pdl") != nil {
			return // jaxlib's library
		}
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		pdl.Pattern(b, 1, b.Region(func([]mlir.Value) {
			x, typ := pdl.Operand(b), pdl.Type(b)
			all, types := pdl.Operands(b), pdl.Types(b)
			check.Diff(t, "ranges", "!pdl.range<value> !pdl.range<type>", all.Type().String()+" "+types.Type().String())
			op := pdl.OperationOp{OpName: "my.op", OperandValues: []mlir.Value{x, all},
				AttributeValues: []mlir.Value{pdl.Attribute(b)}, AttributeValueNames: []string{"a"},
				TypeValues: []mlir.Value{typ, types}}.Create(b).Result(0)
			check.Diff(t, "the result", "!pdl.value", pdl.Result(b, op, 0).Type().String())
			pdl.Rewrite(b, nil, b.Region(func([]mlir.Value) { pdl.Erase(b, op) }))
		}))
		check.NoError(t, b.Err())
		check.NoError(t, m.Verify())
	})
}
