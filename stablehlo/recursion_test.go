package stablehlo_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestRecursion holds that no module reaches XLA's compiler in which a function calls itself: it ends the process.
func TestRecursion(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"itself": {`func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}`, "calls itself (@f → @f)"},
		"each other, in a branch": {`func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %p = stablehlo.compare LT, %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @g(%a) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @g(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}`, "calls itself (@f → @g → @f)"},
		"a decomposition": {`func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.composite "a.b" %a {decomposition = @f} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}`, "calls itself (@f → @f)"},
		"twice": {`func.func @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @g(%a) : (tensor<i32>) -> tensor<i32>
  %1 = func.call @g(%0) : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
func.func @g(%a: tensor<i32>) -> tensor<i32> {
  return %a : tensor<i32>
}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), test.body+`
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}`)
			_, err := stablehlo.Unprepared(m).Artifact("")
			if test.want == "" {
				check.NoError(t, err)
				return
			}
			check.Error(t, err, "test.mlir:1:1", test.want)
		})
	}
}
