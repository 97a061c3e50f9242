//go:build engines

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

// TestRewriterBuilds checks that a pattern builds with its Rewriter, also operations with
// regions, and that a mistake in it is an error of the run.
func TestRewriterBuilds(t *testing.T) {
	c := mlirtest.ContextOf(t, mlirtest.Upstream(t))
	parse := func() *mlir.Module {
		return check.Must(c.Parse("", []byte("func.func @f(%c: i1, %x: i32) -> i32 {\n  %y = arith.muli %x, %x : i32\n  return %y : i32\n}")))
	}
	wrong := false
	patterns := check.Must(c.NewPatterns(mlir.Pattern{Name: "double", Op: "arith.muli",
		Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
			mul, ok := arith.AsMulI(op)
			if !ok {
				return false, nil
			}
			b := mlir.NewBuilder(r, op.Location())
			if wrong {
				arith.AddI(b, mul.LHS, mlir.Value{})
			}
			condition := op.Block().Argument(0)
			sum := scf.Choose(b, condition, func() []mlir.Value {
				return []mlir.Value{
					arith.AddI(b, mul.LHS, mul.RHS)}
			}, func() []mlir.Value { return []mlir.Value{mul.LHS} })
			if b.Err() == nil {
				r.Replace(op, sum...)
			}
			return true, b.Err()
		}}))
	m := parse()
	check.NoError(t, patterns.Apply(m, mlir.GreedyOptions{}))
	check.NoError(t, m.Verify())
	if text := m.String(); !strings.Contains(text, "scf.if") || !strings.Contains(text, "arith.addi") ||
		strings.Contains(text, "muli") {
		t.Errorf("the pattern made %s", text)
	}
	wrong = true
	check.Error(t, patterns.Apply(parse(), mlir.GreedyOptions{}), "pattern_engines_test.go:",
		"arith.addi: the operand rhs is missing")
}
