package function_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

func TestAttributes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := check.Must(c.Parse("f.mlir", []byte("func.func private @f(i32, i64) -> i32")))
		var f mlir.Operation
		for o := range m.Body().Operations() {
			f = o
		}
		unit, two := c.UnitAttribute(), mlirtest.Attribute(c, "2 : i64")
		set := func(arg, result error) bool {
			a := mlirtest.Supported(t, c.Library(), arg, "mlirFuncSetArgAttr")
			return mlirtest.Supported(t, c.Library(), result, "mlirFuncSetResultAttr") && a
		}
		check.Panics(t, "called on a zero value", func() { function.SetArgAttr(f, 0, "llvm.x", mlir.Attribute{}) })
		check.Panics(t, "called on a nil handle", func() { function.SetArgAttr(mlir.Operation{}, 0, "llvm.x", unit) })
		if _, ok := function.ArgAttr(f, 1, "llvm.align"); ok {
			t.Error("there is an attribute that was not set")
		}
		if !set(function.SetArgAttr(f, 1, "llvm.align", two), function.SetResultAttr(f, 0, "llvm.noundef", unit)) {
			return
		}
		check.Diff(t, "the function", "func.func private @f(i32, i64 {llvm.align = 2 : i64}) -> (i32 {llvm.noundef})",
			f.String())
		got, _ := function.ArgAttr(f, 1, "llvm.align")
		check.Diff(t, "the argument's", "2 : i64", got.String())
		got, _ = function.ResultAttr(f, 0, "llvm.noundef")
		check.Diff(t, "the result's", "unit", got.String())
		for _, i := range []int{-1, 0, 2} {
			if _, ok := function.ArgAttr(f, i, "llvm.align"); ok {
				t.Errorf("argument %d has an attribute", i)
			}
		}
		check.Error(t, function.SetArgAttr(f, 2, "llvm.align", two), "the function has 2 arguments")
		check.Error(t, function.SetArgAttr(f, -1, "llvm.align", two), "the function has 2 arguments")
		check.Error(t, function.SetResultAttr(f, 1, "llvm.align", two), "the function has 1 results")
		check.Error(t, function.SetArgAttr(f, 0, "", two), "needs a name")
		check.Error(t, function.SetArgAttr(m.Operation(), 0, "llvm.align", two), "builtin.module is not a func.func")
	})
}
