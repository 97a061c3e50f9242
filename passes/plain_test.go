package passes_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// TestSeveralBlocks checks that a module is prepared whose functions have several blocks.
func TestSeveralBlocks(t *testing.T) {
	const text = `func.func private @g(%a: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  cf.br ^b(%a, %i, %i : tensor<4xf32>, tensor<i32>, tensor<i32>)
^b(%x: tensor<4xf32>, %y: tensor<i32>, %z: tensor<i32>):
  return %x : tensor<4xf32>
}
func.func private @h(%i: tensor<i32>) -> tensor<i32> {
  cf.br ^b
^b:
  return %i : tensor<i32>
}
func.func @main(%a: tensor<4xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<4xf32> {
  %u = func.call @g(%a, %i) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %d = stablehlo.dynamic_update_slice %u, %a, %i : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %w:2 = stablehlo.while(%k = %c0, %v = %d) : tensor<i32>, tensor<4xf32>
    cond {
      %l = stablehlo.compare LT, %k, %c9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    } do {
      %n = func.call @h(%k) : (tensor<i32>) -> tensor<i32>
      %e = stablehlo.custom_call @calliope_io_callback(%v) {api_version = 4 : i32, has_side_effect = true,
        backend_config = {callback = "log", form = "passthrough", v = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %n, %e : tensor<i32>, tensor<4xf32>
    }
  return %w#1 : tensor<4xf32>
}`
	m := mlirtest.Parse(t, mlirtest.Context(t), text)
	check.Diff(t, "the deviations", []xlafix.Deviation(nil), xlafix.Deviations(m, m.Operation().Index()))
	check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
	check.NoError(t, m.Verify())
}

// TestForeignEnd checks that a function whose end the library does not know can be planned.
func TestForeignEnd(t *testing.T) {
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
	defer c.Close()
	m := mlirtest.Parse(t, c, `func.func @f(%t: !stablehlo.token) {
  "mine.return"(%t) : (!stablehlo.token) -> ()
}`)
	passes.PlanMigrate(m, passes.MigrateOptions{})
	check.Diff(t, "the deviations", []xlafix.Deviation(nil), xlafix.Deviations(m, m.Operation().Index()))
}
