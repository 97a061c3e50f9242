package xlafix_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestKeepScatteredWindows holds that windows that cannot be outside stay as they are: those whose indices are clamped,
// as JAX does it in batches of updates, or constants, and those of one element.
func TestKeepScatteredWindows(t *testing.T) {
	scatter := func(indices, update, numbers string) string {
		return `func.func @main(%x: tensor<3x8xf32>, %at: tensor<2x1xi32>, %u: tensor<` + update + `xf32>) -> tensor<3x8xf32> {
			` + indices + `
			%0 = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<` + numbers + `>}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				stablehlo.return %b : tensor<f32>
			}) : (tensor<3x8xf32>, tensor<2x2xi32>, tensor<` + update + `xf32>) -> tensor<3x8xf32>
			return %0 : tensor<3x8xf32>
		}`
	}
	const (
		windows = "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"
		single  = "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"
		free    = `%zero = stablehlo.constant dense<0> : tensor<2x1xi32>
			%k = stablehlo.concatenate %zero, %at, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>`
		clamped = `%zero = stablehlo.constant dense<0> : tensor<2x1xi32>
			%j = stablehlo.concatenate %zero, %at, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
			%c = stablehlo.constant dense<[0, 6]> : tensor<2xi32>
			%m = stablehlo.constant dense<2147483647> : tensor<i32>
			%mm = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<i32>) -> tensor<2xi32>
			%cc = stablehlo.minimum %c, %mm : tensor<2xi32>
			%high = stablehlo.broadcast_in_dim %cc, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>
			%low = stablehlo.constant dense<0> : tensor<2x2xi32>
			%k = stablehlo.clamp %low, %j, %high : tensor<2x2xi32>`
		scalars = `%zero = stablehlo.constant dense<0> : tensor<2x1xi32>
			%j = stablehlo.concatenate %zero, %at, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
			%low = stablehlo.constant dense<0> : tensor<i32>
			%k = stablehlo.clamp %low, %j, %low : (tensor<i32>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>`
	)
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"free":      {scatter(free, "2x3x2", windows), 1},
		"clamped":   {scatter(clamped, "2x3x2", windows), 0},
		"scalars":   {scatter(scalars, "2x3x2", windows), 0},
		"too large": {scatter(clamped, "2x3x3", windows), 1},
		"constant":  {scatter("%k = stablehlo.constant dense<[[0, 6], [0, 1]]> : tensor<2x2xi32>", "2x3x2", windows), 0},
		"outside":   {scatter("%k = stablehlo.constant dense<[[0, 6], [1, 1]]> : tensor<2x2xi32>", "2x3x2", windows), 1},
		"single":    {scatter(free, "2", single), 0},
	} {
		m := parse(t, c.text)
		for i, want := range []int{c.want, 0} {
			n, err := xlafix.KeepScatteredWindows(m)
			check.NoError(t, err)
			check.NoError(t, m.Verify())
			if n != want {
				t.Errorf("%s: %d are rewritten by run %d, want %d", name, n, i, want)
			}
		}
	}
}

// TestScatterWithoutUpdates leaves out a scatter that updates nothing.
func TestScatterWithoutUpdates(t *testing.T) {
	m := parse(t, `
func.func @main(%x: tensor<4xf32>, %i: tensor<0x1xi32>, %u: tensor<0xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<0x1xi32>, tensor<0xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`)
	n, err := xlafix.KeepScatteredWindows(m)
	check.NoError(t, err)
	check.Diff(t, "scatters", 1, n)
	if text := m.String(); strings.Contains(text, "scatter") {
		t.Error(text)
	}
}
