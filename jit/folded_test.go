package jit_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestFolded has arrays that are changed in place, and others that MLIR takes for the same ones after it folds a
// maximum of an array and itself, or a selection by a constant.
func TestFolded(t *testing.T) {
	const less = `%c = stablehlo.constant dense<2> : tensor<i32>
			%p = stablehlo.compare LT, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %p : tensor<i1>`
	const next = `%one = stablehlo.constant dense<1> : tensor<i32>
			%m = stablehlo.add %n, %one : tensor<i32>`
	const body = `({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%z = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %z : tensor<f32> })`
	const zero = `%zero = stablehlo.constant dense<0> : tensor<i32>`
	for name, text := range map[string]string{
		"exchanged in a loop": zero + `
			%r:3 = stablehlo.while(%a = %v, %b = %w, %n = %zero) : tensor<1x2xf32>, tensor<1x2xf32>, tensor<i32>
			cond { ` + less + ` } do { ` + next + `
				%d = stablehlo.maximum %a, %a : tensor<1x2xf32>
				stablehlo.return %b, %d, %m : tensor<1x2xf32>, tensor<1x2xf32>, tensor<i32> }
			return %r#0, %r#1 : tensor<1x2xf32>, tensor<1x2xf32>`,
		"selected in a loop": zero + `
			%i = stablehlo.iota dim = 1 : tensor<1x2xi32>
			%never = stablehlo.compare LT, %i, %i : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x2xi1>
			%r:3 = stablehlo.while(%a = %v, %b = %w, %n = %zero) : tensor<1x2xf32>, tensor<1x2xf32>, tensor<i32>
			cond { ` + less + ` } do { ` + next + `
				%d = stablehlo.select %never, %v, %a : tensor<1x2xi1>, tensor<1x2xf32>
				stablehlo.return %b, %d, %m : tensor<1x2xf32>, tensor<1x2xf32>, tensor<i32> }
			return %r#0, %r#1 : tensor<1x2xf32>, tensor<1x2xf32>`,
		"one window scattered in a loop": zero + `
			%r:2 = stablehlo.while(%a = %v, %n = %zero) : tensor<1x2xf32>, tensor<i32>
			cond { ` + less + ` } do { ` + next + `
				%at = stablehlo.constant dense<0> : tensor<1xi32>
				%d = "stablehlo.scatter"(%a, %at, %w) <{scatter_dimension_numbers = #stablehlo.scatter<
					update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ` + body + ` :
					(tensor<1x2xf32>, tensor<1xi32>, tensor<1x2xf32>) -> tensor<1x2xf32>
				stablehlo.return %d, %m : tensor<1x2xf32>, tensor<i32> }
			return %r#0, %w : tensor<1x2xf32>, tensor<1x2xf32>`,
		"scattered after a maximum": `
			%s = stablehlo.negate %v : tensor<1x2xf32>
			%d = stablehlo.maximum %s, %s : tensor<1x2xf32>
			%at = stablehlo.constant dense<0> : tensor<1xi32>
			%r = "stablehlo.scatter"(%s, %at, %w) <{scatter_dimension_numbers = #stablehlo.scatter<
				update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ` + body + ` :
				(tensor<1x2xf32>, tensor<1xi32>, tensor<1x2xf32>) -> tensor<1x2xf32>
			return %r, %d : tensor<1x2xf32>, tensor<1x2xf32>`,
		"a loop after a minimum": zero + `
			%d = stablehlo.minimum %v, %v : tensor<1x2xf32>
			%r:2 = stablehlo.while(%a = %d, %n = %zero) : tensor<1x2xf32>, tensor<i32>
			cond { ` + less + ` } do { ` + next + `
				%e = stablehlo.add %a, %v : tensor<1x2xf32>
				stablehlo.return %e, %m : tensor<1x2xf32>, tensor<i32> }
			return %r#0, %d : tensor<1x2xf32>, tensor<1x2xf32>`,
	} {
		t.Run(name, func(t *testing.T) {
			text := `func.func @main(%v: tensor<1x2xf32>, %w: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
				` + text + `
			}`
			arguments := []tensor.View{check.Must(tensor.FromSlice([]float32{1, 2}, 1, 2)),
				check.Must(tensor.FromSlice([]float32{30, 40}, 1, 2))}
			want, err := stablehlo.Evaluate(mlirtest.Parse(t, mlirtest.Context(t), text), arguments...)
			check.NoError(t, err)
			got, err := compile(t, text).Call(t.Context(), arguments...)
			check.NoError(t, err)
			check.Diff(t, "results", want, got)
		})
	}
}
