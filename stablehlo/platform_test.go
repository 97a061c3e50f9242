package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// severalPlatforms has calls for the platforms 0, 1 and 2: in a function, in a branch of a branch,
// in a loop, and behind an index that a case computes.
const severalPlatforms = `
func.func @main(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %x: tensor<f32>, %c: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %0 = func.call @chosen(%x, %p) : (tensor<f32>, tensor<i32>) -> tensor<f32>
  %1:2 = stablehlo.while(%a = %0, %go = %c) : tensor<f32>, tensor<i1>
  cond { stablehlo.return %go : tensor<i1> }
  do {
    %2 = "stablehlo.case"(%p) ({
      %3 = stablehlo.custom_call @loop0(%a) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }, {
      stablehlo.return %a : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    stablehlo.return %2, %go : tensor<f32>, tensor<i1>
  }
  return %0, %1#0 : tensor<f32>, tensor<f32>
}
func.func private @chosen(%x: tensor<f32>, %p: tensor<i32> {jax.global_constant = "_platform_index"}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %i = "stablehlo.case"(%p) ({
    stablehlo.return %one : tensor<i32>
  }, {
    stablehlo.return %zero : tensor<i32>
  }, {
    stablehlo.return %one : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %r = "stablehlo.case"(%i) ({
    %0 = stablehlo.custom_call @only1(%x) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }, {
    %0 = "stablehlo.case"(%p) ({
      %1 = func.call @of0(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      %1 = stablehlo.custom_call @not0(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @of0(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @function0(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @declared(tensor<i32> {jax.global_constant = "_platform_index"}) -> tensor<f32>
`

func TestSelectPlatformRemovesBranches(t *testing.T) {
	eachRefining(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, severalPlatforms)
		for index, want := range [][]string{{"loop0", "function0"}, {"only1"}, {"not0"}} {
			selected := m.Clone()
			check.NoError(t, stablehlo.SelectPlatform(selected, index))
			check.NoError(t, selected.Verify())
			var calls []string
			for op := range selected.Operation().All() {
				if call, ok := stablehlo.AsCustomCall(op); ok {
					calls = append(calls, call.Target)
				}
				if op.Name() == "stablehlo.case" {
					t.Errorf("platform %d: a case is left: %s", index, op)
				}
			}
			check.Diff(t, "calls", want, calls)
		}
	})
}
