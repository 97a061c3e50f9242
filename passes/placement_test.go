package passes_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A pass that threads a token through loops, branches and calls makes new operations, with the
// placement hints of the old ones.
func TestPassesKeepPlacement(t *testing.T) {
	const hint = `{mhlo.frontend_attributes = {_xla_compute_type = "host"}}`
	m := mlirtest.Parse(t, mlirtest.Context(t), `
func.func @main(%n: tensor<i32> {mhlo.memory_kind = "device"}, %p: tensor<i1>, %x: tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<4xf32>):
    %b = stablehlo.sine %a : tensor<4xf32>
    "stablehlo.return"(%b) : (tensor<4xf32>) -> ()
  }) `+hint+` : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %b = stablehlo.sine %0 : tensor<4xf32>
    "stablehlo.return"(%b) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%0) : (tensor<4xf32>) -> ()
  }) `+hint+` : (tensor<i1>) -> tensor<4xf32>
  %2 = "stablehlo.case"(%n) ({
    %b = stablehlo.sine %1 : tensor<4xf32>
    "stablehlo.return"(%b) : (tensor<4xf32>) -> ()
  }) `+hint+` : (tensor<i32>) -> tensor<4xf32>
  %3 = func.call @f(%2) `+hint+` : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32> {mhlo.memory_kind = "unpinned_host"}) -> (tensor<4xf32> {mhlo.memory_kind = "device"}) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
	hints := func() (list []string) {
		for _, p := range stablehlo.Placements(m) {
			list = append(list, fmt.Sprint(p))
		}
		return list
	}
	want := hints()
	check.Diff(t, "number of hints", 9, len(want))
	n, err := passes.InsertTap(m, passes.ByOp("stablehlo.sine"),
		passes.TapOptions{Config: contract.Config{Callback: "see", Effect: "log"}})
	check.NoError(t, err)
	check.Diff(t, "taps", 4, n)
	check.Diff(t, "hints after InsertTap", want, hints())
	_, err = passes.AddRuntimeTokens(m)
	check.NoError(t, err)
	check.Diff(t, "hints after AddRuntimeTokens", want, hints())
	_, err = passes.Migrate(m, passes.MigrateOptions{Callback: func(mlir.Operation) string { return "" }})
	check.NoError(t, err)
	check.Diff(t, "hints after Migrate", want, hints())
}
