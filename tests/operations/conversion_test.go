package operations_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// TestConversionRewriterBuilds checks that a pattern of a conversion builds with its rewriter,
// also operations with regions, and that a mistake in it is an error of the conversion.
func TestConversionRewriterBuilds(t *testing.T) {
	c := mlirtest.Context(t)
	parse := func() *mlir.Module {
		return check.Must(c.Parse("", []byte("func.func @f(%c: i1, %x: i32) -> i32 {\n  %y = arith.muli %x, %x : i32\n  return %y : i32\n}")))
	}
	wrong := false
	v := check.Must(c.NewConversion(
		mlir.ConversionTarget{Legal: []string{"builtin", "func", "arith", "scf"}, Illegal: []string{"arith.muli"}},
		mlir.ConversionPattern{Name: "double", Op: "arith.muli",
			Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				b := mlir.NewBuilder(r, op.Location())
				check.Diff(t, "the context", true, b.Context() == c)
				r.SetInsertionPoint(r) // which changes nothing
				if wrong {
					arith.AddI(b, operands[0], mlir.Value{})
				}
				sum := scf.Choose(b, op.Block().Argument(0), func() []mlir.Value {
					return []mlir.Value{
						arith.AddI(b, operands[0], operands[1])}
				}, func() []mlir.Value { return operands[:1] })
				if b.Err() == nil {
					r.Replace(op, sum...)
				}
				return true, b.Err()
			}}))
	defer v.Close()
	m := parse()
	check.NoError(t, v.Apply(m, mlir.ConversionOptions{}))
	check.NoError(t, m.Verify())
	if text := m.String(); !strings.Contains(text, "scf.if") || !strings.Contains(text, "arith.addi") ||
		strings.Contains(text, "muli") {
		t.Errorf("the pattern made %s", text)
	}
	wrong = true
	check.Error(t, v.Apply(parse(), mlir.ConversionOptions{}), "conversion_test.go:",
		"arith.addi: the operand rhs is missing")
}
