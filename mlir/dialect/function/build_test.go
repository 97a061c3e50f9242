package function_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// TestFuncOptions builds functions of each visibility, also in a module within the module.
func TestFuncOptions(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		nothing := func(of mlir.Visibility, name string) {
			function.FuncOptions{Visibility: of}.Func(b, name, nil, nil, func([]mlir.Value) {})
		}
		nothing("", "a")
		nothing(mlir.Public, "b")
		b.Module("inner", func() {
			nothing(mlir.Nested, "c")
			nothing(mlir.Private, "a") // another one than that outside
		})
		b.Module("", func() {})
		check.NoError(t, b.Err())
		check.Diff(t, "the module", `module {
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
  module @inner {
    func.func nested @c() {
      return
    }
    func.func private @a() {
      return
    }
  }
  module {
  }
}
`, m.String())
		nothing("secret", "d")
		check.Error(t, b.Err(), `func.func: "secret" is no visibility: use mlir.Public, mlir.Private or mlir.Nested`)
		other := mlir.NewBuilder(m.Body(), mlir.Location{})
		other.Module("none", nil)
		check.Error(t, other.Err(), "no function that builds the block")
	})
}
