package autodiff_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// softplus is that of JAX, for an element type or a shape T.
const softplus = `func.func private @softplus(%x: tensor<T>) -> tensor<T> {
	%zero = stablehlo.constant dense<0.0> : tensor<T>
	%0 = stablehlo.maximum %x, %zero : tensor<T>
	%1 = stablehlo.subtract %x, %zero : tensor<T>
	%2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<T>, tensor<T>) -> tensor<B>
	%3 = stablehlo.add %x, %zero : tensor<T>
	%4 = stablehlo.abs %1 : tensor<T>
	%5 = stablehlo.negate %4 : tensor<T>
	%6 = stablehlo.exponential %5 : tensor<T>
	%7 = stablehlo.log_plus_one %6 : tensor<T>
	%8 = stablehlo.add %0, %7 : tensor<T>
	%9 = stablehlo.select %2, %3, %8 : tensor<B>, tensor<T>
	return %9 : tensor<T>
}
`

// summed is a function of two arrays of 5 elements that adds up what lines make of %x and %y, %r.
func summed(functions, lines string) string {
	return strings.NewReplacer("<T>", "<5xf64>", "<B>", "<5xi1>").Replace(functions +
		`func.func @main(%x: tensor<T>, %y: tensor<T>) -> tensor<f64> {
		` + lines + `
		%z = stablehlo.constant dense<0.0> : tensor<f64>
		%s = stablehlo.reduce(%r init: %z) applies stablehlo.add across dimensions = [0] : (tensor<T>, tensor<f64>) -> tensor<f64>
		return %s : tensor<f64>
	}`)
}

// TestTies differentiates where two operands are equal. The numbers are those of JAX, but for NaN at -∞.
func TestTies(t *testing.T) {
	const sigmoid1 = 0.7310585786300049
	inf, none := math.Inf(1), make([]float64, 5)
	x := []tensor.View{vector(0, 1, -1, inf, -inf), vector(0, 0, 0, 0, 0)}
	holdCorners(t, []corner{
		{"softplus", summed(softplus, "%r = call @softplus(%x) : (tensor<T>) -> tensor<T>"), x,
			[][]float64{{0.5, sigmoid1, 1 - sigmoid1, 1, 0}, none}},
		{"log_sigmoid", summed(softplus, `%0 = stablehlo.negate %x : tensor<T>
			%1 = call @softplus(%0) : (tensor<T>) -> tensor<T>
			%r = stablehlo.negate %1 : tensor<T>`), x,
			[][]float64{{0.5, 1 - sigmoid1, sigmoid1, 0, 1}, none}},
		{"without a selection", summed("", `%0 = stablehlo.abs %x : tensor<T>
			%1 = stablehlo.negate %0 : tensor<T>
			%2 = stablehlo.exponential %1 : tensor<T>
			%3 = stablehlo.log_plus_one %2 : tensor<T>
			%c = stablehlo.constant dense<0.0> : tensor<T>
			%4 = stablehlo.maximum %c, %x : tensor<T>
			%r = stablehlo.add %3, %4 : tensor<T>`), x,
			[][]float64{{0.5, sigmoid1, 1 - sigmoid1, 1, 0}, none}},
		{"logaddexp", summed(strings.NewReplacer("@softplus(%x: tensor<T>)", "@logaddexp(%x: tensor<T>, %zero: tensor<T>)",
			"%zero = stablehlo.constant dense<0.0> : tensor<T>", "").Replace(softplus),
			"%r = call @logaddexp(%x, %y) : (tensor<T>, tensor<T>) -> tensor<T>"),
			[]tensor.View{vector(0, -inf, 2, inf, inf), vector(0, 3, 1, inf, -inf)},
			[][]float64{{0.5, 0, sigmoid1, 1, 1}, {0.5, 1, 1 - sigmoid1, 1, 0}}},
		{"logaddexp of -Inf, which has no derivative, as in JAX", summed(strings.NewReplacer(
			"@softplus(%x: tensor<T>)", "@logaddexp(%x: tensor<T>, %zero: tensor<T>)",
			"%zero = stablehlo.constant dense<0.0> : tensor<T>", "").Replace(softplus),
			"%r = call @logaddexp(%x, %y) : (tensor<T>, tensor<T>) -> tensor<T>"),
			[]tensor.View{vector(0, -inf, 2, inf, inf), vector(0, -inf, 1, inf, -inf)},
			[][]float64{{0.5, math.NaN(), sigmoid1, 1, 1}, {0.5, math.NaN(), 1 - sigmoid1, 1, 0}}},
		{"logaddexp2", summed("", `%0 = stablehlo.maximum %x, %y : tensor<T>
			%1 = stablehlo.subtract %x, %y : tensor<T>
			%2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<T>, tensor<T>) -> tensor<B>
			%3 = stablehlo.add %x, %y : tensor<T>
			%4 = stablehlo.abs %1 : tensor<T>
			%5 = stablehlo.negate %4 : tensor<T>
			%c = stablehlo.constant dense<0.6931471805599453> : tensor<T>
			%6 = stablehlo.multiply %c, %5 : tensor<T>
			%7 = stablehlo.exponential %6 : tensor<T>
			%8 = stablehlo.log_plus_one %7 : tensor<T>
			%d = stablehlo.constant dense<1.4426950408889634> : tensor<T>
			%9 = stablehlo.multiply %d, %8 : tensor<T>
			%10 = stablehlo.add %0, %9 : tensor<T>
			%r = stablehlo.select %2, %3, %10 : tensor<B>, tensor<T>`),
			[]tensor.View{vector(0, 1, 1, inf, 5), vector(0, 1, 0, inf, 5)},
			[][]float64{{0.5, 0.5, 2. / 3, 1, 0.5}, {0.5, 0.5, 1. / 3, 1, 0.5}}},
		{"relu", summed(`func.func private @relu_1(%x: tensor<T>) -> tensor<T> {
			%zero = stablehlo.constant dense<0.0> : tensor<T>
			%0 = stablehlo.maximum %x, %zero : tensor<T>
			return %0 : tensor<T>
		}
		`, "%r = call @relu_1(%x) : (tensor<T>) -> tensor<T>"), x, [][]float64{{0, 1, 0, 1, 0}, none}},
		{"maximum", summed("", "%r = stablehlo.maximum %x, %y : tensor<T>"), x,
			[][]float64{{0.5, 1, 0, 1, 0}, {0.5, 0, 1, 0, 1}}},
	})
}

// TestSecondTie holds that the derivative of softplus at 0 has a derivative.
func TestSecondTie(t *testing.T) {
	text := strings.NewReplacer("<T>", "<f64>", "<B>", "<i1>").Replace(softplus +
		`func.func @main(%x: tensor<T>) -> tensor<T> {
			%r = call @softplus(%x) : (tensor<T>) -> tensor<T>
			return %r : tensor<T>
		}`)
	first, err := autodiff.Grad(function(t, parse(t, text), "main"), autodiff.Options{})
	check.NoError(t, err)
	second, err := autodiff.Grad(first, autodiff.Options{})
	check.NoError(t, err)
	got := transformtest.Numbers(t, run(t, newClient(t), second, tensor.Scalar(0.))[0])
	check.Diff(t, "second derivative", []float64{0.25}, got, cmpopts.EquateApprox(0, 1e-12))
}

// TestSpreadProductWithLog differentiates x·log(y) where x is 0, with one y for all x, and with one x for all y, as JAX
// writes it.
func TestSpreadProductWithLog(t *testing.T) {
	spread := func(scalar, scalarLog string) string {
		return `%zt = stablehlo.constant dense<0.0> : tensor<T>
			%zs = stablehlo.constant dense<0.0> : tensor<f64>
			%n = stablehlo.slice ` + scalar + ` [0:1] : (tensor<T>) -> tensor<1xf64>
			%k = stablehlo.reshape %n : (tensor<1xf64>) -> tensor<f64>
			` + scalarLog + `
			%o = stablehlo.or %p, %q : tensor<B>
			%m = stablehlo.multiply %a, %l : tensor<T>
			%r = stablehlo.select %o, %m, %zt : tensor<B>, tensor<T>`
	}
	log2 := math.Log(2)
	holdCorners(t, []corner{
		{"one y", summed("", spread("%y", `%a = stablehlo.add %x, %zt : tensor<T>
			%p = stablehlo.compare NE, %a, %zt, FLOAT : (tensor<T>, tensor<T>) -> tensor<B>
			%q0 = stablehlo.compare NE, %k, %k, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
			%q = stablehlo.broadcast_in_dim %q0, dims = [] : (tensor<i1>) -> tensor<B>
			%l0 = stablehlo.log %k : tensor<f64>
			%l = stablehlo.broadcast_in_dim %l0, dims = [] : (tensor<f64>) -> tensor<T>`)),
			[]tensor.View{vector(0, 1, -1, 0, 4), vector(2, 0, 0, 0, 0)},
			[][]float64{{log2, log2, log2, log2, log2}, {2, 0, 0, 0, 0}}},
		{"one x", summed("", spread("%x", `%a = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f64>) -> tensor<T>
			%p0 = stablehlo.compare NE, %k, %zs, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
			%p = stablehlo.broadcast_in_dim %p0, dims = [] : (tensor<i1>) -> tensor<B>
			%q = stablehlo.compare NE, %y, %y, FLOAT : (tensor<T>, tensor<T>) -> tensor<B>
			%l = stablehlo.log %y : tensor<T>`)),
			[]tensor.View{vector(0, 1, 1, 1, 1), vector(2, 1, 4, 1, 8)},
			[][]float64{{6 * log2, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
	})
}
