package xlafix_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/passes"
)

// TestPreparedOnce holds that a second preparation changes nothing, of operations that the first one replaces by
// others of the same name.
func TestPreparedOnce(t *testing.T) {
	for name, text := range map[string]string{
		"quotients": `func.func @main(%x: tensor<2xi16>, %y: tensor<2xi16>) -> (tensor<2xi16>, tensor<i32>) {
  %0 = stablehlo.divide %x, %y : tensor<2xi16>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.remainder %c, %c : tensor<i32>
  return %0, %1 : tensor<2xi16>, tensor<i32>
}`,
		"small elements": `func.func @main(%x: tensor<4xi2>) -> tensor<4xi2> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i2>, %b: tensor<i2>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i2>, tensor<i2>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xi2>) -> tensor<4xi2>
  %2 = stablehlo.popcnt %0 : tensor<4xi2>
  return %2 : tensor<4xi2>
}`,
		"arctangents": `func.func @main(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
  %0 = chlo.atan %x : tensor<4x2xf64> -> tensor<4x2xf64>
  %1 = stablehlo.constant dense<1.0> : tensor<4x2xf64>
  %2 = stablehlo.atan2 %0, %1 : tensor<4x2xf64>
  return %2 : tensor<4x2xf64>
}`,
		"a complex cube root": `func.func @main(%x: tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>> {
  %0 = stablehlo.cbrt %x : tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}`,
		"an einsum": `func.func @main(%x: tensor<2x3xi1>) -> tensor<2xi1> {
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ij->i"} : (tensor<2x3xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}`,
		"an asynchronous slice, and one that stays": `func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %4 = stablehlo.slice %a [1:3] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %4 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %2 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %4 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %3 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1, %3 : tensor<2xf32>, tensor<4xf32>
}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, text)
			before := m.String()
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			check.NoError(t, m.Verify())
			once := m.String()
			if once == before {
				t.Error("nothing is changed")
			}
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			check.Diff(t, "the second time", once, m.String())
		})
	}
}

// TestQuotientsAreKept holds that quotients that no plugin folds stay as they are.
func TestQuotientsAreKept(t *testing.T) {
	for _, text := range []string{
		"func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {\n" +
			"  %0 = stablehlo.divide %x, %y : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}",
		"func.func @main() -> tensor<2xi32> {\n  %x = stablehlo.iota dim = 0 : tensor<2xi32>\n" +
			"  %y = stablehlo.constant dense<[3, 5]> : tensor<2xi32>\n" +
			"  %0 = stablehlo.divide %x, %y : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}",
		"func.func @main(%x: tensor<2xi16>) -> tensor<2xi16> {\n  %y = stablehlo.constant dense<7> : tensor<2xi16>\n" +
			"  %0 = stablehlo.remainder %x, %y : tensor<2xi16>\n  return %0 : tensor<2xi16>\n}",
	} {
		m := parse(t, text)
		n, err := xlafix.KeepDivisions(m)
		check.NoError(t, err)
		check.Diff(t, "changed", 0, n)
	}
}
