package function_test

import (
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// TestUpdateType changes the body of a function, whose type does not fit then until it is updated.
func TestUpdateType(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		parse := func(text string) (*mlir.Module, mlir.Operation) {
			m := mlirtest.Parse(t, c, text)
			return m, slices.Collect(m.Body().Operations())[0]
		}
		m, f := parse("func.func @f(%x: i32) -> i32 { return %x : i32 }")
		body := f.Region(0).First()
		added := body.AddArgument(c.F32Type(), mlir.Location{})
		end := body.Terminator()
		end.SetOperand(0, added)
		check.Error(t, m.Verify(), "func.return")
		check.NoError(t, function.UpdateType(f))
		check.NoError(t, m.Verify())
		read, _ := function.AsFunc(f)
		check.Diff(t, "type", "(i32, f32) -> f32", read.FunctionType.String())

		_, f = parse("func.func private @f(i32) -> i32")
		check.Error(t, function.UpdateType(f), "function: func.func has no body")
		_, f = parse(`func.func @f(%x: i32, %y: f32, %c: i1) -> i32 {
  llvm.cond_br %c, ^a, ^b
^a:
  return %x : i32
^b:
  return %x : i32
}`)
		blocks := slices.Collect(f.Region(0).Blocks())
		blocks[2].Terminator().SetOperand(0, blocks[0].Argument(1))
		check.Error(t, function.UpdateType(f), "function: @f returns [i32] and [f32]: all returns must have the same types")
	})
}
