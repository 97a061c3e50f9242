package autodiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// wave returns an array of different numbers between -1 and 1, in no order.
func wave(dims ...int) tensor.View {
	s := tensor.ShapeOf(tensor.F64, dims...)
	list := make([]float64, s.NumBytes()/8)
	for i := range list {
		list[i] = float64((i*37+11)%101)/50 - 1
	}
	return check.Must(tensor.FromSlice(list, dims...))
}

// TestCheck holds to finite differences what JAX does not write: its modules have none of these forms.
func TestCheck(t *testing.T) {
	client := newClient(t)
	for _, c := range []numericCase{
		{"dot", `func.func @main(%a: tensor<3x4xf64>, %b: tensor<4xf64>) -> tensor<3xf64> {
			%0 = stablehlo.dot %a, %b : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(3, 4), wave(4)}},
		{"broadcast", `func.func @main(%a: tensor<3xf64>) -> tensor<2x3xf64> {
			%0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf64>) -> tensor<2x3xf64>
			%1 = stablehlo.sine %0 : tensor<2x3xf64>
			return %1 : tensor<2x3xf64>
		}`, []tensor.View{wave(3)}},
		{"broadcast in other order", `func.func @main(%a: tensor<3x2xf64>) -> tensor<2x4x3xf64> {
			%0 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<3x2xf64>) -> tensor<2x4x3xf64>
			return %0 : tensor<2x4x3xf64>
		}`, []tensor.View{wave(3, 2)}},
		{"map", `func.func @main(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
			%0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
			^bb0(%x: tensor<f64>, %y: tensor<f64>):
				%two = stablehlo.constant dense<2.0> : tensor<f64>
				%1 = stablehlo.multiply %x, %y : tensor<f64>
				%2 = stablehlo.power %two, %1 : tensor<f64>
				stablehlo.return %2 : tensor<f64>
			}) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(3), wave(3)}},
		{"composite", `func.func private @twice(%x: tensor<3xf64>) -> tensor<3xf64> {
			%0 = stablehlo.add %x, %x : tensor<3xf64>
			return %0 : tensor<3xf64>
		}
		func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
			%0 = stablehlo.composite "my.twice" %a {decomposition = @twice} : (tensor<3xf64>) -> tensor<3xf64>
			%1 = stablehlo.multiply %0, %a : tensor<3xf64>
			return %1 : tensor<3xf64>
		}`, []tensor.View{wave(3)}},
		{"convolution with reversed windows",
			`func.func @main(%a: tensor<1x2x6x5xf64>, %b: tensor<3x2x3x2xf64>) -> tensor<1x3x3x5xf64> {
			%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
				window = {stride = [2, 1], pad = [[1, 0], [1, 0]], reverse = [true, false]}
				{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x6x5xf64>, tensor<3x2x3x2xf64>) -> tensor<1x3x3x5xf64>
			return %0 : tensor<1x3x3x5xf64>
		}`, []tensor.View{wave(1, 2, 6, 5), wave(3, 2, 3, 2)}},
		{"gather out of bounds", `func.func @main(%a: tensor<5xf64>) -> tensor<3xf64> {
			%i = stablehlo.constant dense<[[7], [-2], [1]]> : tensor<3x1xi32>
			%0 = "stablehlo.gather"(%a, %i) <{
				dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
				slice_sizes = array<i64: 1>
			}> : (tensor<5xf64>, tensor<3x1xi32>) -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(5)}},
		{"gather by bytes", `func.func @main(%a: tensor<300xf64>) -> tensor<2xf64> {
			%i = stablehlo.constant dense<[[-2], [127]]> : tensor<2x1xi8>
			%0 = "stablehlo.gather"(%a, %i) <{
				dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
				slice_sizes = array<i64: 1>
			}> : (tensor<300xf64>, tensor<2x1xi8>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(300)}},
		{"sum from a value", `func.func @main(%a: tensor<2x3xf64>, %b: tensor<f64>) -> tensor<2xf64> {
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(2, 3), wave()}},
		{"maximum from a value", `func.func @main(%a: tensor<2x3xf64>, %b: tensor<f64>) -> tensor<2xf64> {
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(2, 3), tensor.Scalar(0.37)}},
		{"product from a value", `func.func @main(%a: tensor<2x3xf64>, %b: tensor<f64>) -> tensor<2xf64> {
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(2, 3), tensor.Scalar(3.)}},
		{"product from a constant", `func.func @main(%a: tensor<2x5xf64>) -> tensor<2xf64> {
			%b = stablehlo.constant dense<3.0> : tensor<f64>
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [1] : (tensor<2x5xf64>, tensor<f64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(2, 5)}},
		{"product of nothing", `func.func @main(%a: tensor<2x0xf64>, %b: tensor<f64>) -> tensor<2xf64> {
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.multiply across dimensions = [1] : (tensor<2x0xf64>, tensor<f64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(2, 0), tensor.Scalar(3.)}},
		{"products of windows", `func.func @main(%a: tensor<7xf64>, %b: tensor<f64>) -> tensor<3xf64> {
			%0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
			^bb0(%x: tensor<f64>, %y: tensor<f64>):
				%1 = stablehlo.multiply %x, %y : tensor<f64>
				stablehlo.return %1 : tensor<f64>
			}) : (tensor<7xf64>, tensor<f64>) -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(7), tensor.Scalar(3.)}},
		{"reduction of two arrays",
			`func.func @main(%a: tensor<2x5xf64>, %b: tensor<2x5xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
			%one = stablehlo.constant dense<1.0> : tensor<f64>
			%zero = stablehlo.constant dense<0.0> : tensor<f64>
			%0:2 = stablehlo.reduce(%a init: %one), (%b init: %zero) across dimensions = [1] : (tensor<2x5xf64>, tensor<2x5xf64>, tensor<f64>, tensor<f64>) -> (tensor<2xf64>, tensor<2xf64>)
				reducer(%x: tensor<f64>, %y: tensor<f64>) (%v: tensor<f64>, %w: tensor<f64>) {
				%1 = stablehlo.multiply %x, %y : tensor<f64>
				%2 = stablehlo.multiply %v, %y : tensor<f64>
				%3 = stablehlo.add %2, %w : tensor<f64>
				stablehlo.return %1, %3 : tensor<f64>, tensor<f64>
			}
			return %0#0, %0#1 : tensor<2xf64>, tensor<2xf64>
		}`, []tensor.View{wave(2, 5), wave(2, 5)}},
		{"batch_norm_inference",
			`func.func @main(%x: tensor<2x3x2xf64>, %s: tensor<2xf64>, %o: tensor<2xf64>, %m: tensor<2xf64>, %v: tensor<2xf64>) -> tensor<2x3x2xf64> {
			%w = stablehlo.multiply %v, %v : tensor<2xf64>
			%0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %w) <{epsilon = 0.1 : f32, feature_index = 2 : i64}> : (tensor<2x3x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x3x2xf64>
			return %0 : tensor<2x3x2xf64>
		}`, []tensor.View{wave(2, 3, 2), wave(2), wave(2), wave(2), wave(2)}},
		{"batch_norm_training",
			`func.func @main(%x: tensor<2x3x2xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) {
			%0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
			return %0#0, %0#1, %0#2 : tensor<2x3x2xf64>, tensor<3xf64>, tensor<3xf64>
		}`, []tensor.View{wave(2, 3, 2), wave(3), wave(3)}},
		{"batch_norm_grad",
			`func.func @main(%x: tensor<2x3x2xf64>, %s: tensor<2xf64>, %m: tensor<2xf64>, %v: tensor<2xf64>, %g: tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<2xf64>, tensor<2xf64>) {
			%w = stablehlo.multiply %v, %v : tensor<2xf64>
			%0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %w, %g) <{epsilon = 0.1 : f32, feature_index = 2 : i64}> : (tensor<2x3x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<2xf64>, tensor<2xf64>)
			return %0#0, %0#1, %0#2 : tensor<2x3x2xf64>, tensor<2xf64>, tensor<2xf64>
		}`, []tensor.View{wave(2, 3, 2), wave(2), wave(2), wave(2), wave(2, 3, 2)}},
		{"cholesky", `func.func @main(%x: tensor<2x3x3xf64>) -> tensor<2x3x3xf64> {
			%c = stablehlo.constant dense<[[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]> : tensor<3x3xf64>
			%d = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<3x3xf64>) -> tensor<2x3x3xf64>
			%t = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
			%s = stablehlo.add %x, %t : tensor<2x3x3xf64>
			%a = stablehlo.add %s, %d : tensor<2x3x3xf64>
			%0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf64>
			%1 = stablehlo.cholesky %a, lower = false : tensor<2x3x3xf64>
			%2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
			return %2 : tensor<2x3x3xf64>
		}`, []tensor.View{wave(2, 3, 3)}},
		{"einsum", `func.func @main(%a: tensor<2x3x4xf64>, %b: tensor<4x2x5xf64>) -> tensor<5x2x3xf64> {
			%0 = stablehlo.einsum %a, %b, config = "bij,jbk->kbi" : (tensor<2x3x4xf64>, tensor<4x2x5xf64>) -> tensor<5x2x3xf64>
			return %0 : tensor<5x2x3xf64>
		}`, []tensor.View{wave(2, 3, 4), wave(4, 2, 5)}},
		{"torch_index_select", `func.func @main(%a: tensor<2x3x4xf64>) -> tensor<2x5x4xf64> {
			%i = stablehlo.constant dense<[[2, 0, 0, 1, 2], [1, 1, 0, 2, 0]]> : tensor<2x5xi32>
			%0 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<2x3x4xf64>, tensor<2x5xi32>) -> tensor<2x5x4xf64>
			return %0 : tensor<2x5x4xf64>
		}`, []tensor.View{wave(2, 3, 4)}},
		{"broadcasting",
			`func.func @main(%a: tensor<2x3xf64>, %b: tensor<3xf64>, %c: tensor<2x1xf64>, %p: tensor<2x1xi1>) -> tensor<2x3xf64> {
			%0 = chlo.broadcast_multiply %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%1 = chlo.broadcast_divide %c, %0 : (tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%2 = chlo.broadcast_select %p, %b, %1 : (tensor<2x1xi1>, tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%3 = chlo.broadcast_subtract %2, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			return %3 : tensor<2x3xf64>
		}`, []tensor.View{wave(2, 3), wave(3), wave(2, 1), check.Must(tensor.FromSlice([]bool{true, false}, 2, 1))}},
		{"more broadcasting",
			`func.func @main(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> (tensor<2x3xf64>, tensor<2x3xcomplex<f64>>) {
			%two = stablehlo.constant dense<2.0> : tensor<3xf64>
			%n = stablehlo.constant dense<1.0> : tensor<3xf64>
			%e = chlo.broadcast_add %a, %two : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%0 = chlo.broadcast_atan2 %e, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%1 = chlo.broadcast_maximum %0, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%2 = chlo.broadcast_minimum %b, %a : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%3 = chlo.broadcast_power %e, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%4 = chlo.broadcast_remainder %e, %two : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
			%5 = chlo.broadcast_polygamma %n, %e : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%6 = chlo.broadcast_zeta %two, %e : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%7 = chlo.broadcast_next_after %two, %e : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			%8 = stablehlo.add %1, %2 : tensor<2x3xf64>
			%9 = stablehlo.add %3, %4 : tensor<2x3xf64>
			%10 = stablehlo.add %5, %6 : tensor<2x3xf64>
			%11 = stablehlo.add %8, %9 : tensor<2x3xf64>
			%12 = stablehlo.multiply %10, %7 : tensor<2x3xf64>
			%13 = chlo.broadcast_complex %12, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xcomplex<f64>>
			return %11, %13 : tensor<2x3xf64>, tensor<2x3xcomplex<f64>>
		}`, []tensor.View{wave(2, 3), wave(3)}},
		{"functions of CHLO", `func.func @main(%a: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xcomplex<f64>>) {
			%0 = chlo.tan %a : tensor<3xf64> -> tensor<3xf64>
			%1 = stablehlo.logistic %0 : tensor<3xf64>
			%2 = stablehlo.complex %1, %a : tensor<3xcomplex<f64>>
			%3 = chlo.conj %2 : tensor<3xcomplex<f64>> -> tensor<3xcomplex<f64>>
			return %1, %3 : tensor<3xf64>, tensor<3xcomplex<f64>>
		}`, []tensor.View{wave(3)}},
		{"if", `func.func @main(%a: tensor<3xf64>, %p: tensor<i1>) -> tensor<3xf64> {
			%0 = "stablehlo.if"(%p) ({
				%1 = stablehlo.sine %a : tensor<3xf64>
				stablehlo.return %1 : tensor<3xf64>
			}, {
				stablehlo.return %a : tensor<3xf64>
			}) : (tensor<i1>) -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(3), tensor.Scalar(true)}},
		{"zeta", `func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
			%s = stablehlo.constant dense<[1.5, 2.0, 3.5]> : tensor<3xf64>
			%e = stablehlo.exponential %a : tensor<3xf64>
			%0 = chlo.zeta %s, %e : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
			return %0 : tensor<3xf64>
		}`, []tensor.View{wave(3)}},
		{"next_after", `func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
			%s = stablehlo.sine %a : tensor<3xf64>
			%0 = chlo.next_after %s, %a : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
			%1 = stablehlo.multiply %0, %0 : tensor<3xf64>
			return %1 : tensor<3xf64>
		}`, []tensor.View{wave(3)}},
		solve("left, lower", 2, 3, "left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false"),
		solve("left, upper, transposed", 4, 3, "left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false"),
		solve("right, lower, adjoint", 3, 2, "left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false"),
		solve("right, upper, unit diagonal", 3, 4, "left_side = false, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true"),
		{"loop that counts down", loop("GE", 9, 2, -3), []tensor.View{wave(3)}},
		{"loop up to a limit", loop("LE", -1, 6, 2), []tensor.View{wave(3)}},
		{"loop until equal", loop("NE", 0, 6, 2), []tensor.View{wave(3)}},
		{"loop without steps", loop("LT", 5, 2, 1), []tensor.View{wave(3)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := function(t, parse(t, c.text), "main")
			check.NoError(t, autodiff.Check(f, autodiff.Options{},
				func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
					return run(t, client, f, arguments...), nil
				}, c.arguments...))
		})
	}
}

// TestCheckExpanded is TestCheck for operations that XLA does not compile, but the derivative replaces.
func TestCheckExpanded(t *testing.T) {
	client := newClient(t)
	for _, c := range []numericCase{
		{"unary_einsum", `func.func @main(%a: tensor<2x3x4xf64>) -> tensor<4x2xf64> {
			%0 = "stablehlo.unary_einsum"(%a) {einsum_config = "abc->ca"} : (tensor<2x3x4xf64>) -> tensor<4x2xf64>
			return %0 : tensor<4x2xf64>
		}`, []tensor.View{wave(2, 3, 4)}},
		{"a diagonal", `func.func @main(%a: tensor<3x2x3xf64>, %b: tensor<1x3xf64>) -> tensor<3x3xf64> {
			%0 = stablehlo.einsum %a, %b, config = "abc,...a->aa" : (tensor<3x2x3xf64>, tensor<1x3xf64>) -> tensor<3x3xf64>
			return %0 : tensor<3x3xf64>
		}`, []tensor.View{wave(3, 2, 3), wave(1, 3)}},
		{"a sum of a diagonal", `func.func @main(%a: tensor<3x2x3xf64>) -> tensor<2xf64> {
			%0 = "stablehlo.unary_einsum"(%a) {einsum_config = "aba->b"} : (tensor<3x2x3xf64>) -> tensor<2xf64>
			return %0 : tensor<2xf64>
		}`, []tensor.View{wave(3, 2, 3)}},
		{"broadcasting of first dimensions",
			`func.func @main(%a: tensor<2x3xf64>, %b: tensor<2xf64>) -> tensor<2x3xf64> {
			%0 = chlo.broadcast_divide %b, %a {broadcast_dimensions = array<i64: 0>} : (tensor<2xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
			return %0 : tensor<2x3xf64>
		}`, []tensor.View{wave(2, 3), wave(2)}},
		{"ragged_dot of rows", ragged("6x3", "2x3x4", "6x4", "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"),
			[]tensor.View{wave(6, 3), wave(2, 3, 4)}},
		{"ragged_dot of sums", ragged("3x6", "6x4", "2x3x4", "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []"),
			[]tensor.View{wave(3, 6), wave(6, 4)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := function(t, parse(t, c.text), "main")
			expanded, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			check.NoError(t, autodiff.Check(f, autodiff.Options{},
				func(g mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
					if g != f {
						return run(t, client, g, arguments...), nil
					}
					return run(t, client, expanded, append(arguments, c.arguments...)...)[:1], nil
				}, c.arguments...))
		})
	}
}

// ragged is a product whose lhs has groups of 2 and 3.
func ragged(lhs, rhs, result, numbers string) string {
	return fmt.Sprintf(`func.func @main(%%a: tensor<%[1]sxf64>, %%b: tensor<%[2]sxf64>) -> tensor<%[3]sxf64> {
		%%n = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
		%%0 = "chlo.ragged_dot"(%%a, %%b, %%n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], %[4]s>} : (tensor<%[1]sxf64>, tensor<%[2]sxf64>, tensor<2xi32>) -> tensor<%[3]sxf64>
		return %%0 : tensor<%[3]sxf64>
	}`, lhs, rhs, result, numbers)
}

type numericCase = struct {
	name, text string
	arguments  []tensor.View
}

// solve is a triangular system with m×n right sides.
func solve(name string, m, n int, attributes string) numericCase {
	size := m
	if strings.HasPrefix(name, "right") {
		size = n
	}
	a := wave(size, size)
	for i := range size {
		check.Must(tensor.Slice[float64](a))[i*(size+1)] += 4
	}
	return numericCase{"triangular_solve " + name, fmt.Sprintf(
		`func.func @main(%%a: tensor<%[1]dx%[1]dxf64>, %%b: tensor<%[2]dx%[3]dxf64>) -> tensor<%[2]dx%[3]dxf64> {
		%%0 = "stablehlo.triangular_solve"(%%a, %%b) <{%[4]s}> : (tensor<%[1]dx%[1]dxf64>, tensor<%[2]dx%[3]dxf64>) -> tensor<%[2]dx%[3]dxf64>
		return %%0 : tensor<%[2]dx%[3]dxf64>
	}`, size, m, n, attributes), []tensor.View{a, wave(m, n)}}
}

// loop is a loop that counts from start by step as long as the comparison with limit holds.
func loop(direction string, start, limit, step int) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<3xf64>) -> tensor<3xf64> {
		%%start = stablehlo.constant dense<%d> : tensor<i64>
		%%limit = stablehlo.constant dense<%d> : tensor<i64>
		%%step = stablehlo.constant dense<%d> : tensor<i64>
		%%0:3 = stablehlo.while(%%i = %%start, %%n = %%limit, %%c = %%x) : tensor<i64>, tensor<i64>, tensor<3xf64>
		cond {
			%%1 = stablehlo.compare %s, %%i, %%n : (tensor<i64>, tensor<i64>) -> tensor<i1>
			stablehlo.return %%1 : tensor<i1>
		} do {
			%%1 = stablehlo.convert %%i : (tensor<i64>) -> tensor<f64>
			%%2 = stablehlo.broadcast_in_dim %%1, dims = [] : (tensor<f64>) -> tensor<3xf64>
			%%3 = stablehlo.sine %%c : tensor<3xf64>
			%%4 = stablehlo.multiply %%3, %%2 : tensor<3xf64>
			%%5 = stablehlo.add %%4, %%x : tensor<3xf64>
			%%6 = stablehlo.add %%i, %%step : tensor<i64>
			stablehlo.return %%6, %%n, %%5 : tensor<i64>, tensor<i64>, tensor<3xf64>
		}
		return %%0#2 : tensor<3xf64>
	}`, start, limit, step, direction)
}
