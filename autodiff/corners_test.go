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

// A corner is a function of f64 arrays whose result is a scalar, and its derivatives at a point.
type corner struct {
	name, text string
	at         []tensor.View
	want       [][]float64
}

// holdCorners compares derivatives in reverse mode, and in forward mode along each array in turn.
func holdCorners(t *testing.T, corners []corner) {
	client := newClient(t)
	for _, c := range corners {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, c.text)
			f := function(t, m, "main")
			jvp, err := autodiff.JVP(f, autodiff.Options{})
			check.NoError(t, err)
			grad, err := autodiff.Grad(f, autodiff.Options{})
			check.NoError(t, err)
			equal := cmpopts.EquateApprox(1e-12, 1e-12)
			for i, g := range run(t, client, grad, c.at...) {
				check.Diff(t, "derivative along the cotangent", c.want[i], transformtest.Numbers(t, g), equal,
					cmpopts.EquateNaNs())
			}
			for i := range c.want {
				arguments, want := c.at, 0.
				for k, v := range c.at {
					tangent := tensor.View{Shape: v.Shape, Data: make([]byte, v.Shape.NumBytes())}
					if k == i {
						tangent = wave(v.Shape.Dims...)
						for j, x := range transformtest.Numbers(t, tangent) {
							want += x * c.want[i][j]
						}
					}
					arguments = append(arguments[:len(arguments):len(arguments)], tangent)
				}
				got := transformtest.Numbers(t, run(t, client, jvp, arguments...)[1])[0]
				check.Diff(t, "derivative along tangents", want, got, equal, cmpopts.EquateNaNs())
			}
		})
	}
}

func vector(list ...float64) tensor.View { return check.Must(tensor.FromSlice(list, len(list))) }

// TestTuples differentiates through tuples, whoever makes them.
func TestTuples(t *testing.T) {
	holdCorners(t, []corner{
		{"an element", `func.func @main(%a: tensor<f64>) -> tensor<f64> {
			%0 = stablehlo.sine %a : tensor<f64>
			%1 = stablehlo.tuple %0, %0 : tuple<tensor<f64>, tensor<f64>>
			%2 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<f64>, tensor<f64>>) -> tensor<f64>
			return %2 : tensor<f64>
		}`, []tensor.View{tensor.Scalar(0.5)}, [][]float64{{math.Cos(0.5)}}},
		{"a function of tuples in tuples", `
		func.func private @f(%u: tuple<tensor<f64>, tuple<tensor<f64>, tensor<i32>>>) -> tuple<tensor<f64>, tensor<i32>> {
			%0 = stablehlo.get_tuple_element %u[1] : (tuple<tensor<f64>, tuple<tensor<f64>, tensor<i32>>>) -> tuple<tensor<f64>, tensor<i32>>
			%1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f64>, tensor<i32>>) -> tensor<f64>
			%2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f64>, tensor<i32>>) -> tensor<i32>
			%3 = stablehlo.get_tuple_element %u[0] : (tuple<tensor<f64>, tuple<tensor<f64>, tensor<i32>>>) -> tensor<f64>
			%4 = stablehlo.multiply %1, %3 : tensor<f64>
			%5 = stablehlo.tuple %4, %2 : tuple<tensor<f64>, tensor<i32>>
			return %5 : tuple<tensor<f64>, tensor<i32>>
		}
		func.func @main(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {
			%n = stablehlo.constant dense<3> : tensor<i32>
			%0 = stablehlo.tuple %b, %n : tuple<tensor<f64>, tensor<i32>>
			%1 = stablehlo.tuple %a, %0 : tuple<tensor<f64>, tuple<tensor<f64>, tensor<i32>>>
			%2 = stablehlo.constant dense<0> : tensor<i32>
			%3 = stablehlo.constant dense<1> : tensor<i32>
			%4:2 = stablehlo.while(%i = %2, %c = %a) : tensor<i32>, tensor<f64>
			cond {
				%9 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %9 : tensor<i1>
			} do {
				%5 = func.call @f(%1) : (tuple<tensor<f64>, tuple<tensor<f64>, tensor<i32>>>) -> tuple<tensor<f64>, tensor<i32>>
				%6 = stablehlo.get_tuple_element %5[0] : (tuple<tensor<f64>, tensor<i32>>) -> tensor<f64>
				%7 = stablehlo.multiply %6, %c : tensor<f64>
				%8 = stablehlo.add %i, %3 : tensor<i32>
				stablehlo.return %8, %7 : tensor<i32>, tensor<f64>
			}
			return %4#1 : tensor<f64>
		}`, []tensor.View{tensor.Scalar(2.), tensor.Scalar(3.)}, [][]float64{{4 * 8 * 27}, {3 * 16 * 9}}},
		{"a call whose tuple is integers", `func.func @main(%a: tensor<f64>) -> tensor<f64> {
			%0 = stablehlo.tuple %a, %a : tuple<tensor<f64>, tensor<f64>>
			%1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f64>, tensor<f64>>) -> tensor<f64>
			%2 = stablehlo.convert %1 : (tensor<f64>) -> tensor<i32>
			%3 = stablehlo.tuple %2, %2 : tuple<tensor<i32>, tensor<i32>>
			%4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
			%5 = stablehlo.convert %4 : (tensor<i32>) -> tensor<f64>
			%6 = stablehlo.multiply %5, %a : tensor<f64>
			return %6 : tensor<f64>
		}`, []tensor.View{tensor.Scalar(3.5)}, [][]float64{{3}}},
	})
}

// TestAsynchronous differentiates what an asynchronous operation computes.
func TestAsynchronous(t *testing.T) {
	m := parse(t, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
		%f = "stablehlo.async_start"(%a) ({
		^bb0(%x: tensor<4xf32>):
			%r = "stablehlo.all_reduce"(%x) ({
			^bb1(%p: tensor<f32>, %q: tensor<f32>):
				%s = stablehlo.add %p, %q : tensor<f32>
				stablehlo.return %s : tensor<f32>
			}) {replica_groups = dense<[[0,1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
			stablehlo.return %r : tensor<4xf32>
		}) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
		%d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
		return %d : tensor<4xf32>
	}`)
	jvp, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	_, backward, err := autodiff.VJP(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	check.Diff(t, "operations along tangents", map[string]int{"all_reduce": 2, "add": 2}, count(jvp))
	check.Diff(t, "operations along cotangents", map[string]int{"all_reduce": 1, "add": 1}, count(backward))
}

// TestNoSilentZero refuses to differentiate through values that no rule sees into.
func TestNoSilentZero(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		wanted []string
	}{
		"a tuple of a custom call": {`%0 = stablehlo.custom_call @mine(%x) : (tensor<f32>) -> tuple<tensor<f32>, tensor<i32>>
			%1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>`,
			[]string{"stablehlo.custom_call at test.mlir:2", "@mine"}},
		"a tuple in a tuple of a custom call": {`%0 = stablehlo.custom_call @mine(%x) : (tensor<f32>) -> tuple<tuple<tensor<f32>, tensor<f32>>, tensor<i32>>
			%2 = stablehlo.get_tuple_element %0[0] : (tuple<tuple<tensor<f32>, tensor<f32>>, tensor<i32>>) -> tuple<tensor<f32>, tensor<f32>>
			%1 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>`,
			[]string{"stablehlo.custom_call at test.mlir:2", "tuple<tensor<f32>, tensor<f32>>"}},
		"a tuple for a custom call": {`%0 = stablehlo.tuple %x, %x : tuple<tensor<f32>, tensor<f32>>
			%1 = stablehlo.custom_call @mine(%0) : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>`,
			[]string{"stablehlo.tuple at test.mlir:2", "use the values in it directly"}},
		"a buffer": {`%0 = stablehlo.custom_call @Pin(%x) {api_version = 4 : i32} : (tensor<f32>) -> memref<f32>
			%1 = stablehlo.custom_call @Unpin(%0) {api_version = 4 : i32} : (memref<f32>) -> tensor<f32>`,
			[]string{"stablehlo.custom_call at test.mlir:2", "memref<f32>"}},
		"a scalar of another dialect": {`%0 = tensor.extract %x[] : tensor<f32>
			%1 = tensor.from_elements %0 : tensor<f32>`, []string{"tensor.extract at test.mlir:2", "f32"}},
		"bits of another type": {`%0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<2xbf16>
			%2 = stablehlo.slice %0 [1:2] : (tensor<2xbf16>) -> tensor<1xbf16>
			%3 = stablehlo.reshape %2 : (tensor<1xbf16>) -> tensor<bf16>
			%1 = stablehlo.convert %3 : (tensor<bf16>) -> tensor<f32>`,
			[]string{"stablehlo.bitcast_convert at test.mlir:2", "calliope.stop_gradient"}},
		"bits without the sign": {`%0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<i32>
			%mask = stablehlo.constant dense<0x7FFFFFFF> : tensor<i32>
			%2 = stablehlo.and %0, %mask : tensor<i32>
			%1 = stablehlo.bitcast_convert %2 : (tensor<i32>) -> tensor<f32>`,
			[]string{"stablehlo.bitcast_convert at test.mlir:5", "calliope.stop_gradient"}},
		"bits in a loop": {`%0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<i32>
			%zero = stablehlo.constant dense<0> : tensor<i32>
			%two = stablehlo.constant dense<2> : tensor<i32>
			%2:2 = stablehlo.while(%i = %zero, %y = %zero) : tensor<i32>, tensor<i32>
			cond {
				%3 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %3 : tensor<i1>
			} do {
				%3 = stablehlo.add %i, %two : tensor<i32>
				%4 = stablehlo.or %y, %0 : tensor<i32>
				stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
			}
			%1 = stablehlo.bitcast_convert %2#1 : (tensor<i32>) -> tensor<f32>`,
			[]string{"stablehlo.bitcast_convert at test.mlir:14", "calliope.stop_gradient"}},
		"what another device receives": {`%k = stablehlo.create_token : !stablehlo.token
			%0 = "stablehlo.send"(%x, %k) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
			%2:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
			%1 = stablehlo.add %2#0, %x : tensor<f32>`, []string{"stablehlo.send at test.mlir:3", "collective_permute"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"+c.body+"\nreturn %1 : tensor<f32>\n}")
			_, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
			check.Error(t, err, c.wanted...)
			_, err = autodiff.Grad(function(t, m, "main"), autodiff.Options{})
			check.Error(t, err, c.wanted...)
		})
	}
}

// TestBits differentiates what has bits of other numbers, and of none.
func TestBits(t *testing.T) {
	holdCorners(t, []corner{{"bits beside others", `func.func @main(%x: tensor<2xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%i = stablehlo.constant dense<0> : tensor<i64>
		%n = stablehlo.constant dense<2> : tensor<i64>
		%one = stablehlo.constant dense<4607182418800017408> : tensor<2xi64>
		%bits = stablehlo.bitcast_convert %x : (tensor<2xf64>) -> tensor<2xi64>
		%0:3 = stablehlo.while(%k = %i, %a = %bits, %b = %one) : tensor<i64>, tensor<2xi64>, tensor<2xi64>
		cond {
			%1 = stablehlo.compare LT, %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
			stablehlo.return %1 : tensor<i1>
		} do {
			%1 = stablehlo.add %k, %n : tensor<i64>
			%2 = stablehlo.or %a, %bits : tensor<2xi64>
			stablehlo.return %1, %2, %b : tensor<i64>, tensor<2xi64>, tensor<2xi64>
		}
		%f = stablehlo.bitcast_convert %0#2 : (tensor<2xi64>) -> tensor<2xf64>
		%same = stablehlo.bitcast_convert %x : (tensor<2xf64>) -> tensor<2xf64>
		%y = stablehlo.multiply %same, %f : tensor<2xf64>
		%r = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		return %r : tensor<f64>
	}`, []tensor.View{vector(3, 4)}, [][]float64{{1, 1}}}})
}

// unused has programs with a value that nothing uses, or that only what has no derivative uses, made in branches and
// loops within loops.
var unused = map[string]string{
	"a loop in a branch": `func.func @main(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%n = stablehlo.constant dense<2> : tensor<i32>
		%i0 = stablehlo.constant dense<0> : tensor<i32>
		%i1 = stablehlo.constant dense<1> : tensor<i32>
		%s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		%p = stablehlo.compare GT, %s, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
		%0:2 = "stablehlo.if"(%p) ({
			%1 = stablehlo.multiply %x, %y : tensor<2xf64>
			stablehlo.return %1, %y : tensor<2xf64>, tensor<2xf64>
		}, {
			%1:2 = stablehlo.while(%i = %i0, %c = %x) : tensor<i32>, tensor<2xf64>
			cond {
				%4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %4 : tensor<i1>
			} do {
				%4:3 = stablehlo.while(%j = %i0, %d = %c, %e = %x) : tensor<i32>, tensor<2xf64>, tensor<2xf64>
				cond {
					%6 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
					stablehlo.return %6 : tensor<i1>
				} do {
					%6 = stablehlo.multiply %d, %e : tensor<2xf64>
					%7 = stablehlo.add %j, %i1 : tensor<i32>
					stablehlo.return %7, %6, %e : tensor<i32>, tensor<2xf64>, tensor<2xf64>
				}
				%5 = stablehlo.add %i, %i1 : tensor<i32>
				stablehlo.return %5, %4#1 : tensor<i32>, tensor<2xf64>
			}
			%2 = stablehlo.sine %y : tensor<2xf64>
			stablehlo.return %1#1, %2 : tensor<2xf64>, tensor<2xf64>
		}) : (tensor<i1>) -> (tensor<2xf64>, tensor<2xf64>)
		%4 = stablehlo.USE %0#0 : tensor<2xf64>
		%5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		%6 = stablehlo.reduce(%0#1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		%7 = stablehlo.add %5, %6 : tensor<f64>
		return RESULT : tensor<f64>
	}`,
	"a branch in a loop in a loop": `func.func @main(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%n = stablehlo.constant dense<3> : tensor<i32>
		%i0 = stablehlo.constant dense<0> : tensor<i32>
		%i1 = stablehlo.constant dense<1> : tensor<i32>
		%0:3 = stablehlo.while(%i = %i0, %c = %x, %d = %y) : tensor<i32>, tensor<2xf64>, tensor<2xf64>
		cond {
			%1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %1 : tensor<i1>
		} do {
			%1 = stablehlo.sine %d : tensor<2xf64>
			%2:2 = stablehlo.while(%j = %i0, %e = %c) : tensor<i32>, tensor<2xf64>
			cond {
				%4 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %4 : tensor<i1>
			} do {
				%4 = "stablehlo.case"(%j) ({
					%6 = stablehlo.sine %e : tensor<2xf64>
					stablehlo.return %6 : tensor<2xf64>
				}, {
					%6 = stablehlo.cosine %e : tensor<2xf64>
					stablehlo.return %6 : tensor<2xf64>
				}) : (tensor<i32>) -> tensor<2xf64>
				%5 = stablehlo.add %j, %i1 : tensor<i32>
				stablehlo.return %5, %4 : tensor<i32>, tensor<2xf64>
			}
			%3 = stablehlo.add %i, %i1 : tensor<i32>
			stablehlo.return %3, %2#1, %1 : tensor<i32>, tensor<2xf64>, tensor<2xf64>
		}
		%4 = stablehlo.USE %0#1 : tensor<2xf64>
		%5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		%6 = stablehlo.reduce(%0#2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		%7 = stablehlo.add %5, %6 : tensor<f64>
		return RESULT : tensor<f64>
	}`,
}

// TestUnused differentiates programs of which a value has no derivative that is used.
func TestUnused(t *testing.T) {
	var corners []corner
	for name, text := range unused {
		d1, d2 := 1., 1.
		if strings.HasPrefix(name, "a branch") {
			for _, d := range []*float64{&d1, &d2} {
				x := map[*float64]float64{&d1: 0.3, &d2: 0.7}[d]
				for range 3 {
					*d *= math.Cos(x)
					x = math.Sin(x)
				}
			}
		}
		for _, c := range [][]string{{"sine", "%6"}, {"floor", "%7"}} {
			corners = append(corners, corner{
				name + ", " + c[0], strings.NewReplacer("USE", c[0], "RESULT", c[1]).Replace(text),
				[]tensor.View{vector(0.2, 0.4), vector(0.3, 0.7)}, [][]float64{{0, 0}, {d1, d2}},
			})
		}
	}
	holdCorners(t, corners)
}

// TestEmptySort differentiates the sort of no elements.
func TestEmptySort(t *testing.T) {
	holdCorners(t, []corner{{"sort", `func.func @main(%a: tensor<0xf64>, %b: tensor<2xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
		^bb0(%x: tensor<f64>, %y: tensor<f64>):
			%1 = stablehlo.compare LT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
			stablehlo.return %1 : tensor<i1>
		}) : (tensor<0xf64>) -> tensor<0xf64>
		%2 = stablehlo.concatenate %0, %b, dim = 0 : (tensor<0xf64>, tensor<2xf64>) -> tensor<2xf64>
		%3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
		return %3 : tensor<f64>
	}`, []tensor.View{vector(), vector(1, 2)}, [][]float64{{}, {1, 1}}}})
}

// windowsOf is the maximum or minimum over windows of an array and an initial value, added up with weights.
func windowsOf(kind string) string {
	return `func.func @main(%x: tensor<6xf64>, %z: tensor<f64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%weights = stablehlo.constant dense<[1.0, 10.0, 100.0]> : tensor<3xf64>
		%0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
		^bb0(%a: tensor<f64>, %b: tensor<f64>):
			%1 = stablehlo.` + kind + ` %a, %b : tensor<f64>
			stablehlo.return %1 : tensor<f64>
		}) : (tensor<6xf64>, tensor<f64>) -> tensor<3xf64>
		%2 = stablehlo.multiply %0, %weights : tensor<3xf64>
		%3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
		return %3 : tensor<f64>
	}`
}

// TestInitialValues differentiates reductions of windows from a value that takes part, also as padding.
func TestInitialValues(t *testing.T) {
	x := vector(-2, -1, 3, 4, 0, -5)
	padded := strings.NewReplacer("dense<0> : tensor<1x2xi64>", "dense<[[2, 0]]> : tensor<1x2xi64>",
		"array<i64: 2>, padding", "array<i64: 3>, padding").Replace(windowsOf("add"))
	holdCorners(t, []corner{
		{"maximum", windowsOf("maximum"), []tensor.View{x, tensor.Scalar(0.)}, [][]float64{{0, 0, 0, 10, 50, 0}, {51}}},
		{"minimum", windowsOf("minimum"), []tensor.View{x, tensor.Scalar(-1.5)},
			[][]float64{{1, 0, 0, 0, 0, 100}, {10}}},
		{"sum", windowsOf("add"), []tensor.View{x, tensor.Scalar(1.)}, [][]float64{{1, 1, 10, 10, 100, 100}, {111}}},
		{"padded sum", padded, []tensor.View{x, tensor.Scalar(1.)}, // two elements of padding in the first window
			[][]float64{{0, 10, 10, 0, 100, 100}, {113}}},
		{"constant", strings.NewReplacer(", %z: tensor<f64>", "", "%x, %z)", "%x, %zero)").Replace(windowsOf("maximum")),
			[]tensor.View{x}, [][]float64{{0, 0, 0, 10, 50, 0}}},
		{"select_and_scatter", `func.func @main(%x: tensor<4xf64>, %s: tensor<2xf64>, %z: tensor<f64>) -> tensor<f64> {
			%zero = stablehlo.constant dense<0.0> : tensor<f64>
			%weights = stablehlo.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf64>
			%0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
			^bb0(%a: tensor<f64>, %b: tensor<f64>):
				%1 = stablehlo.compare GE, %b, %a : (tensor<f64>, tensor<f64>) -> tensor<i1>
				stablehlo.return %1 : tensor<i1>
			}, {
			^bb0(%a: tensor<f64>, %b: tensor<f64>):
				%1 = stablehlo.add %a, %b : tensor<f64>
				stablehlo.return %1 : tensor<f64>
			}) : (tensor<4xf64>, tensor<2xf64>, tensor<f64>) -> tensor<4xf64>
			%2 = stablehlo.multiply %0, %weights : tensor<4xf64>
			%3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
			return %3 : tensor<f64>
		}`, []tensor.View{vector(1, 2, 4, 3), vector(5, 6), tensor.Scalar(1.)},
			[][]float64{{0, 0, 0, 0}, {1, 1000}, {1111}}},
	})
}

// TestSortedPositions gathers and scatters at the positions of a sort, of which some are not in the array.
func TestSortedPositions(t *testing.T) {
	const text = `func.func @main(%x: tensor<4xf64>, %y: tensor<6xf64>) -> tensor<f64> {
		%zero = stablehlo.constant dense<0.0> : tensor<f64>
		%w = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf64>
		%i = stablehlo.iota dim = 0 : tensor<6xi32>
		%s:2 = "stablehlo.sort"(%y, %i) <{dimension = 0 : i64}> ({
		^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<i32>, %d: tensor<i32>):
			%p = stablehlo.compare LT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
			stablehlo.return %p : tensor<i1>
		}) : (tensor<6xf64>, tensor<6xi32>) -> (tensor<6xf64>, tensor<6xi32>)
		%j = stablehlo.reshape %s#1 : (tensor<6xi32>) -> tensor<6x1xi32>
		BODY
		return %r : tensor<f64>
	}`
	y := vector(3, 1, 2, 0, 5, 4)
	holdCorners(t, []corner{
		{"gather", strings.Replace(text, "BODY", `%g = "stablehlo.gather"(%x, %j) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4xf64>, tensor<6x1xi32>) -> tensor<6xf64>
		%m = stablehlo.multiply %g, %w : tensor<6xf64>
		%r = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf64>, tensor<f64>) -> tensor<f64>`, 1),
			[]tensor.View{vector(1, 2, 3, 4), y}, [][]float64{{4, 2, 3, 12}, {0, 0, 0, 0, 0, 0}}},
		{"scatter", strings.Replace(text, "BODY", `%k = stablehlo.slice %w [0:4] : (tensor<6xf64>) -> tensor<4xf64>
		%g = "stablehlo.scatter"(%x, %j, %y) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
		^bb0(%a: tensor<f64>, %b: tensor<f64>):
			%1 = stablehlo.add %a, %b : tensor<f64>
			stablehlo.return %1 : tensor<f64>
		}) : (tensor<4xf64>, tensor<6x1xi32>, tensor<6xf64>) -> tensor<4xf64>
		%m = stablehlo.multiply %g, %k : tensor<4xf64>
		%r = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>`, 1),
			[]tensor.View{vector(1, 2, 3, 4), y}, [][]float64{{1, 2, 3, 4}, {4, 2, 3, 1, 0, 0}}},
	})
}

// TestQuotients divides by numbers whose squares overflow or underflow.
func TestQuotients(t *testing.T) {
	const text = `func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<f64> {
		%q = stablehlo.divide %x, %y : tensor<3xf64>
		%z = stablehlo.constant dense<0.0> : tensor<f64>
		%s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] :
			(tensor<3xf64>, tensor<f64>) -> tensor<f64>
		return %s : tensor<f64> }`
	m := parse(t, text)
	grad, err := autodiff.Grad(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	got := run(t, newClient(t), grad, vector(3e200, 3e-200, 3), vector(1e200, 1e-200, 2))
	equal := cmpopts.EquateApprox(1e-12, 0)
	check.Diff(t, "by x", []float64{1e-200, 1e200, 0.5}, transformtest.Numbers(t, got[0]), equal)
	check.Diff(t, "by y", []float64{-3e-200, -3e200, -0.75}, transformtest.Numbers(t, got[1]), equal)
}
