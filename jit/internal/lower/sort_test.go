package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestSort(t *testing.T) {
	interpreted(t, []program{
		{name: "rows", text: function("%x: tensor<3x37xui8>", "tensor<3x37xui8>", `
			%r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
				^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
					%p = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<3x37xui8>) -> tensor<3x37xui8>
			return %r : tensor<3x37xui8>`)},
		{name: "columns of equal keys, stable", text: function(
			"%x: tensor<64x2xi32>, %y: tensor<64x2xi32>", "tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>", `
			%i = stablehlo.iota dim = 0 : tensor<64x2xi32>
			%r:3 = "stablehlo.sort"(%x, %y, %i) <{dimension = 0 : i64, is_stable = true}> ({
				^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>, %f: tensor<i32>):
					%l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%m = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%n = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
					%o = stablehlo.and %m, %n : tensor<i1>
					%p = stablehlo.or %l, %o : tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>) -> (tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>)
			return %r#0, %r#1, %r#2 : tensor<64x2xi32>, tensor<64x2xi32>, tensor<64x2xi32>`)},
		{name: "what the comparator takes from outside", text: function(
			"%x: tensor<9xi32>, %m: tensor<i32>, %v: tensor<3xi32>", "tensor<9xi32>", `
			%k = stablehlo.constant dense<3> : tensor<i32>
			%n = stablehlo.add %m, %m : tensor<i32>
			%r = "stablehlo.sort"(%x) ({
				^bb0(%a: tensor<i32>, %b: tensor<i32>):
					%z = stablehlo.constant dense<0> : tensor<i32>
					%s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
					%c = stablehlo.add %n, %s : tensor<i32>
					%d = stablehlo.subtract %a, %c : tensor<i32>
					%e = stablehlo.subtract %b, %c : tensor<i32>
					%f = stablehlo.remainder %d, %k : tensor<i32>
					%g = stablehlo.remainder %e, %k : tensor<i32>
					%p = stablehlo.compare LT, %f, %g : (tensor<i32>, tensor<i32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<9xi32>) -> tensor<9xi32>
			return %r : tensor<9xi32>`)},
		{name: "memory in the comparator", text: function("%x: tensor<9xi32>", "tensor<9xi32>", `
			%r = "stablehlo.sort"(%x) ({
				^bb0(%a: tensor<i32>, %b: tensor<i32>):
					%z = stablehlo.constant dense<0> : tensor<i32>
					%v = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<3xi32>
					%s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
					%w = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<3xi32>
					%q = "stablehlo.sort"(%w) ({
						^bb0(%c: tensor<i32>, %d: tensor<i32>):
							%e = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
							stablehlo.return %e : tensor<i1>
					}) : (tensor<3xi32>) -> tensor<3xi32>
					%t = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
					%p = stablehlo.compare GT, %s, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<9xi32>) -> tensor<9xi32>
			return %r : tensor<9xi32>`)},
		{name: "one element", text: function("%x: tensor<1xf32>", "tensor<1xf32>", `
			%r = "stablehlo.sort"(%x) ({
				^bb0(%a: tensor<f32>, %b: tensor<f32>):
					%p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
					stablehlo.return %p : tensor<i1>
			}) : (tensor<1xf32>) -> tensor<1xf32>
			return %r : tensor<1xf32>`)},
	})
}

// TestSortOfSixBits sorts numbers of a format that the interpreter and XLA lack.
func TestSortOfSixBits(t *testing.T) {
	m := mlirtest.Parse(t, mlirtest.Context(t), function("%x: tensor<4xf32>", "tensor<4xf32>", `
		%y = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf6E2M3FN>
		%r = "stablehlo.sort"(%y) ({
			^bb0(%a: tensor<f6E2M3FN>, %b: tensor<f6E2M3FN>):
				%p = stablehlo.compare LT, %a, %b : (tensor<f6E2M3FN>, tensor<f6E2M3FN>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
		}) : (tensor<4xf6E2M3FN>) -> tensor<4xf6E2M3FN>
		%z = stablehlo.convert %r : (tensor<4xf6E2M3FN>) -> tensor<4xf32>
		return %z : tensor<4xf32>`))
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
	check.Cleanup(t, e)
	got := check.Must(e.Call(t.Context(), tensor.Vector[float32](3, -1.5, 0.5, -7)))
	check.Diff(t, "sorted", []tensor.View{tensor.Vector[float32](-7, -1.5, 0.5, 3)}, got)
}

// TestSortLengths sorts rows and columns of elements of all sizes.
func TestSortLengths(t *testing.T) {
	var list []program
	for _, n := range []int{2, 3, 4, 5, 8, 13, 100} {
		for d, shape := range []string{fmt.Sprintf("%dx2x", n), fmt.Sprintf("3x%dx", n), fmt.Sprintf("3x%dx2x", n)} {
			sized := func(types string) string { return strings.ReplaceAll(types, "tensor<", "tensor<"+shape) }
			types := sized("tensor<f32>, tensor<complex<f64>>, tensor<i1>, tensor<ui64>")
			list = append(list, program{name: shape, text: function(
				sized("%x: tensor<f32>, %y: tensor<complex<f64>>, %z: tensor<i1>, %u: tensor<ui64>"),
				types, fmt.Sprintf(`
				%%r:4 = "stablehlo.sort"(%%x, %%y, %%z, %%u) <{dimension = %[2]d : i64, is_stable = true}> ({
					^bb0(%%a: tensor<f32>, %%b: tensor<f32>, %%c: tensor<complex<f64>>, %%d: tensor<complex<f64>>,
						%%e: tensor<i1>, %%f: tensor<i1>, %%g: tensor<ui64>, %%h: tensor<ui64>):
						%%p = stablehlo.compare LT, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>
						stablehlo.return %%p : tensor<i1>
				}) : (%[1]s) -> (%[1]s)
				return %%r#0, %%r#1, %%r#2, %%r#3 : %[1]s`, types, min(d, 1)))})
		}
	}
	interpreted(t, list)
}

// TestSortByKeys sorts by integers and floats of all sizes, in both directions, by functions of elements, and with
// further operands, by rows that are short, long and apart.
func TestSortByKeys(t *testing.T) {
	var list []program
	for _, elem := range []string{"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64", "f16", "bf16", "f32", "f64"} {
		order := ""
		if strings.Contains(elem, "f") {
			order = ", TOTALORDER"
		}
		for _, s := range []struct {
			dims      string
			dim       int
			direction string
			first     string
			second    string
		}{{"3x37", 1, "LT", "%c", "%d"}, {"300x2", 0, "GT", "%c", "%d"}, {"2x5x2", 1, "LT", "%d", "%c"}} {
			typ := s.dims + "x" + elem
			list = append(list, program{name: typ + s.direction, text: function("%x: tensor<"+typ+">",
				"tensor<"+typ+">, tensor<"+s.dims+"xi32>", fmt.Sprintf(`
				%%i = stablehlo.iota dim = %[2]d : tensor<%[3]sxi32>
				%%r:2 = "stablehlo.sort"(%%i, %%x) <{dimension = %[2]d : i64, is_stable = true}> ({
					^bb0(%%e: tensor<i32>, %%f: tensor<i32>, %%a: tensor<%[1]s>, %%b: tensor<%[1]s>):
						%%z = stablehlo.constant dense<0> : tensor<i32>
						%%o = stablehlo.convert %%z : (tensor<i32>) -> tensor<%[1]s>
						%%c = stablehlo.maximum %%a, %%o : tensor<%[1]s>
						%%d = stablehlo.maximum %%b, %%o : tensor<%[1]s>
						%%p = stablehlo.compare %[4]s, %[5]s, %[6]s%[7]s : (tensor<%[1]s>, tensor<%[1]s>) -> tensor<i1>
						stablehlo.return %%p : tensor<i1>
				}) : (tensor<%[3]sxi32>, tensor<%[3]sx%[1]s>) -> (tensor<%[3]sxi32>, tensor<%[3]sx%[1]s>)
				return %%r#1, %%r#0 : tensor<%[3]sx%[1]s>, tensor<%[3]sxi32>`,
					elem, s.dim, s.dims, s.direction, s.first, s.second, order))})
		}
	}
	interpreted(t, list)
}
