package vmap_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/vmap"
)

// TestNotTaken differentiates batches of branches and of a loop that are singular for elements that do not take them.
// The second parameter is not batched.
func TestNotTaken(t *testing.T) {
	client := newClient(t)
	for name, c := range map[string]struct {
		body string
		want []float64 // the derivatives at 0, -1 and 4, and for y at 1; of the sum along ones
	}{
		"if": {`%p = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
			%r = "stablehlo.if"(%p) ({
				%0 = stablehlo.multiply %x, %y : tensor<f32>
				%1 = stablehlo.sqrt %0 : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}, {
				stablehlo.return %zero : tensor<f32>
			}) : (tensor<i1>) -> tensor<f32>`, []float64{0, 0, 0.25, 1, 1.25}},
		"complex": {`%p = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
			%c = stablehlo.complex %x, %zero : tensor<complex<f32>>
			%r = "stablehlo.if"(%p) ({
				%0 = stablehlo.sqrt %c : tensor<complex<f32>>
				%1 = stablehlo.real %0 : (tensor<complex<f32>>) -> tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}, {
				stablehlo.return %zero : tensor<f32>
			}) : (tensor<i1>) -> tensor<f32>`, []float64{0, 0, 0.25, 0, 0.25}},
		"case": {`%p = stablehlo.compare GT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
			%i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
			%j = stablehlo.add %i, %i : tensor<i32>
			%r = "stablehlo.case"(%j) ({
				%0 = stablehlo.multiply %x, %y : tensor<f32>
				stablehlo.return %0 : tensor<f32>
			}, {
				%0 = stablehlo.subtract %y, %y : tensor<f32>
				%1 = stablehlo.log %0 : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}, {
				%0 = stablehlo.multiply %x, %y : tensor<f32>
				%1 = stablehlo.sqrt %0 : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<i32>) -> tensor<f32>`, []float64{1, 1, 0.25, 0, 2.25}},
		"while": {`%i = stablehlo.constant dense<0> : tensor<i32>
			%one = stablehlo.constant dense<1> : tensor<i32>
			%two = stablehlo.constant dense<2> : tensor<i32>
			%r, %n = stablehlo.while(%c = %x, %k = %i) : tensor<f32>, tensor<i32>
			cond {
				%0 = stablehlo.compare GT, %c, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
				%1 = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
				%2 = stablehlo.and %0, %1 : tensor<i1>
				stablehlo.return %2 : tensor<i1>
			} do {
				%0 = stablehlo.multiply %c, %y : tensor<f32>
				%1 = stablehlo.sqrt %0 : tensor<f32>
				%2 = stablehlo.add %k, %one : tensor<i32>
				stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
			}`, []float64{1, 1, math.Sqrt2 / 16, math.Sqrt2 * 3 / 4, 2 + math.Sqrt2*13/16}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, `func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
				%zero = stablehlo.constant dense<0.0> : tensor<f32>
				`+c.body+`
				return %r : tensor<f32>
			}`)
			batched, err := vmap.Batch(function(t, m, "main"), vmap.Options{Size: 3, In: []int{0, vmap.NotBatched}})
			check.NoError(t, err)
			forward, backward, err := autodiff.VJP(batched, autodiff.Options{MaxSteps: 3})
			check.NoError(t, err)
			jvp, err := autodiff.JVP(batched, autodiff.Options{})
			check.NoError(t, err)
			x, y := vector([]int{3}, 0, -1, 4), vector(nil, 1)
			ones := vector([]int{3}, 1, 1, 1)
			residuals := compile(t, client, forward)(x, y)[1:]
			var got []float64
			for _, v := range compile(t, client, backward)(append(residuals, ones)...) {
				got = append(got, transformtest.Numbers(t, v)...)
			}
			sum := 0.
			for _, t := range transformtest.Numbers(t, compile(t, client, jvp)(x, y, ones, y)[1]) {
				sum += t
			}
			check.Diff(t, "derivatives", c.want, append(got, sum), cmpopts.EquateApprox(0, 1e-6), cmpopts.EquateNaNs())
		})
	}
}
