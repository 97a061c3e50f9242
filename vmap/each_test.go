package vmap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// random returns a batch of arrays of a type: numbers between -2 and 2, integers from 0 to 4.
func random(t *testing.T, r *rand.Rand, of mlir.Type, batch ...int) tensor.View {
	t.Helper()
	shape, err := stablehlo.ShapeOf(of)
	check.NoError(t, err)
	shape = tensor.ShapeOf(shape.DType, append(batch, shape.Dims...)...)
	n := shape.NumElements()
	switch shape.DType {
	case tensor.F32:
		list := make([]float32, n)
		for i := range list {
			list[i] = 4*r.Float32() - 2
		}
		return check.Must(tensor.FromSlice(list, shape.Dims...))
	case tensor.S32:
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(r.IntN(5))
		}
		return check.Must(tensor.FromSlice(list, shape.Dims...))
	case tensor.Pred:
		list := make([]bool, n)
		for i := range list {
			list[i] = r.IntN(2) == 0
		}
		return check.Must(tensor.FromSlice(list, shape.Dims...))
	}
	t.Fatalf("no random numbers of type %s", shape)
	return tensor.View{}
}

// evaluate returns a function that runs a function of a module by the reference interpreter.
func evaluate(t *testing.T, f mlir.Operation) func(arguments ...tensor.View) []tensor.View {
	t.Helper()
	copied := asMain(t, f)
	check.Cleanup(t, copied)
	return func(arguments ...tensor.View) []tensor.View {
		results, err := stablehlo.Evaluate(copied, arguments...)
		if err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		return results
	}
}

// holdsForEach compares a batch of a function with the function on each element, for each choice of batched
// parameters.
func holdsForEach(
	t *testing.T, run func(t *testing.T, f mlir.Operation) func(...tensor.View) []tensor.View, f mlir.Operation,
	o vmap.Options,
) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const size = 3
	var batches []tensor.View
	for _, v := range f.Region(0).First().Arguments() {
		batches = append(batches, random(t, r, v.Type(), size))
	}
	original := run(t, f)
	all := 1<<len(batches) - 1
	for choice := 1; choice <= all; choice++ {
		if len(batches) > 4 && choice != all && choice%7 != 1 { // some of many
			continue
		}
		o.Size, o.In = size, nil
		for i := range batches {
			if o.In = append(o.In, vmap.NotBatched); choice>>i&1 == 1 {
				o.In[i] = 0
			}
		}
		arguments := func(element int64) (list []tensor.View) {
			for i, v := range batches {
				switch {
				case o.In[i] != 0:
					v = part(t, v, 0)
				case element >= 0:
					v = part(t, v, element)
				}
				list = append(list, v)
			}
			return list
		}
		batched, err := vmap.Batch(f, o)
		check.NoError(t, err)
		got := run(t, batched)(arguments(-1)...)
		for i := range int64(size) {
			for k, want := range original(arguments(i)...) {
				transformtest.Near(t, fmt.Sprintf("result %d of element %d, axes %v", k, i, o.In), want,
					part(t, got[k], i))
			}
		}
		if t.Failed() {
			t.Fatalf("%s", batched)
		}
	}
}

// TestEach holds that a batch of an operation computes what the operation computes for each element.
func TestEach(t *testing.T) {
	for _, test := range []struct{ name, module string }{
		{"dot_general between free dimensions",
			`func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<5x3x2xf32>) -> tensor<2x4x5xf32> {
			%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [2], contracting_dims = [1] x [1] : (tensor<2x3x4xf32>, tensor<5x3x2xf32>) -> tensor<2x4x5xf32>
			return %0 : tensor<2x4x5xf32>
		}`},
		{"broadcast_in_dim that transposes", `func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
			%0 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
			return %0 : tensor<3x3xf32>
		}`},
		{"map", `func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
			%0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%1 = stablehlo.multiply %x, %y : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
			return %0 : tensor<2x3xf32>
		}`},
		{"get_dimension_size", `func.func @main(%a: tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>) {
			%0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
			return %0, %a : tensor<i32>, tensor<2x3xf32>
		}`},
		{"reduce from batched initial values", `func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
			%0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>
		}`},
		{"reduce by a value from outside", `func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
			%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%0 = stablehlo.reduce(%a init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
			reducer(%x: tensor<f32>, %y: tensor<f32>) {
				%1 = stablehlo.maximum %x, %b : tensor<f32>
				%2 = stablehlo.maximum %1, %y : tensor<f32>
				stablehlo.return %2 : tensor<f32>
			}
			return %0 : tensor<2xf32>
		}`},
		{"sort along the last dimension", `func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
			%0 = "stablehlo.sort"(%a) <{dimension = -1 : i64}> ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %1 : tensor<i1>
			}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
			return %0 : tensor<2x3xf32>
		}`},
		{"call and composite", `func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.add %x, %x : tensor<3xf32>
			return %0 : tensor<3xf32>
		}
		func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
			%0 = func.call @twice(%a) : (tensor<3xf32>) -> tensor<3xf32>
			%1 = stablehlo.composite "my.twice" %0 {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
			return %1 : tensor<3xf32>
		}`},
		{"case out of bounds", `func.func @main(%i: tensor<i32>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
			%two = stablehlo.constant dense<2> : tensor<i32>
			%index = stablehlo.subtract %i, %two : tensor<i32>
			%0:2 = "stablehlo.case"(%index) ({
				%1 = stablehlo.negate %a : tensor<2xf32>
				stablehlo.return %1, %two : tensor<2xf32>, tensor<i32>
			}, {
				stablehlo.return %a, %index : tensor<2xf32>, tensor<i32>
			}, {
				%1 = stablehlo.multiply %a, %a : tensor<2xf32>
				stablehlo.return %1, %i : tensor<2xf32>, tensor<i32>
			}) : (tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
			return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
		}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			holdsForEach(t, evaluate, function(t, parse(t, test.module), "main"), vmap.Options{})
		})
	}
}

// TestEachCompiled does so for operations that the reference interpreter does not know.
func TestEachCompiled(t *testing.T) {
	client := newClient(t)
	for _, test := range []struct{ name, module string }{
		{"tuples", `func.func private @swap(%u: tuple<tensor<f32>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<f32>> {
			%0 = stablehlo.get_tuple_element %u[0] : (tuple<tensor<f32>, tensor<3xf32>>) -> tensor<f32>
			%1 = stablehlo.get_tuple_element %u[1] : (tuple<tensor<f32>, tensor<3xf32>>) -> tensor<3xf32>
			%2 = stablehlo.tuple %1, %0 : tuple<tensor<3xf32>, tensor<f32>>
			return %2 : tuple<tensor<3xf32>, tensor<f32>>
		}
		func.func @main(%a: tensor<f32>, %b: tensor<3xf32>) -> tensor<3xf32> {
			%0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<3xf32>>
			%1 = func.call @swap(%0) : (tuple<tensor<f32>, tensor<3xf32>>) -> tuple<tensor<3xf32>, tensor<f32>>
			%2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<3xf32>, tensor<f32>>) -> tensor<3xf32>
			%3 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<3xf32>, tensor<f32>>) -> tensor<f32>
			%4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3xf32>
			%5 = stablehlo.subtract %2, %4 : tensor<3xf32>
			return %5 : tensor<3xf32>
		}`},
		{"dot", `func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
			%0 = stablehlo.dot %a, %b, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>
		}`},
		{"broadcast", `func.func @main(%a: tensor<3xf32>) -> tensor<2x4x3xf32> {
			%0 = stablehlo.broadcast %a, sizes = [2, 4] : (tensor<3xf32>) -> tensor<2x4x3xf32>
			return %0 : tensor<2x4x3xf32>
		}`},
		{"einsum", `func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<4x2xf32> {
			%0 = stablehlo.einsum %a, %b, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
			return %0 : tensor<4x2xf32>
		}`},
		{"batch_norm_inference",
			`func.func @main(%a: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>) -> tensor<2x3x2xf32> {
			%v = stablehlo.multiply %m, %m : tensor<3xf32>
			%0 = "stablehlo.batch_norm_inference"(%a, %s, %o, %m, %v) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
			return %0 : tensor<2x3x2xf32>
		}`},
		{"batch_norm_training and its gradient",
			`func.func @main(%a: tensor<2x3x2xf32>, %s: tensor<3xf32>, %g: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
			%0:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
			%1:3 = "stablehlo.batch_norm_grad"(%a, %s, %0#1, %0#2, %g) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
			return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2 : tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>
		}`},
		{"operations that broadcast",
			`func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %p: tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
			%0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%1 = chlo.broadcast_multiply %c, %0 {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
			%2 = chlo.broadcast_select %p, %0, %b : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
		}`},
		{"more that broadcast",
			`func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xcomplex<f32>>) {
			%0 = chlo.broadcast_atan2 %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%1 = chlo.broadcast_divide %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%2 = chlo.broadcast_maximum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%3 = chlo.broadcast_minimum %b, %a : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
			%4 = chlo.broadcast_next_after %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%5 = chlo.broadcast_power %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%6 = chlo.broadcast_remainder %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
			%7 = chlo.broadcast_subtract %b, %a : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
			%8 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
			%9 = chlo.broadcast_complex %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
			%10 = stablehlo.add %6, %7 : tensor<2x3xf32>
			return %0, %1, %2, %3, %4, %5, %10, %8, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xcomplex<f32>>
		}`},
		{"bits that broadcast",
			`func.func @main(%a: tensor<2x3xi32>, %b: tensor<3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
			%0 = chlo.broadcast_and %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			%1 = chlo.broadcast_or %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			%2 = chlo.broadcast_xor %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			%3 = chlo.broadcast_shift_left %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			%4 = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			%5 = chlo.broadcast_shift_right_logical %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
			return %0, %1, %2, %3, %4, %5 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
		}`},
		{"special functions",
			`func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) {
			%half = stablehlo.constant dense<0.5> : tensor<3xf32>
			%three = stablehlo.constant dense<3.0> : tensor<3xf32>
			%x = stablehlo.abs %a : tensor<3xf32>
			%y = stablehlo.add %x, %three : tensor<3xf32>
			%0 = chlo.acosh %y : tensor<3xf32> -> tensor<3xf32>
			%1 = chlo.tan %a : tensor<3xf32> -> tensor<3xf32>
			%2 = "chlo.constant_like"(%a) <{value = 2.0 : f32}> : (tensor<3xf32>) -> tensor<3xf32>
			%3 = stablehlo.round_nearest_even %a : tensor<3xf32>
			%4 = stablehlo.divide %a, %2 : tensor<3xf32>
			%5 = chlo.is_inf %4 : tensor<3xf32> -> tensor<3xi1>
			%6 = chlo.is_pos_inf %4 : tensor<3xf32> -> tensor<3xi1>
			%7 = chlo.is_neg_inf %4 : tensor<3xf32> -> tensor<3xi1>
			%8 = stablehlo.logistic %a : tensor<3xf32>
			%9 = chlo.broadcast_zeta %y, %half : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
			%10 = chlo.broadcast_polygamma %2, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
			%11 = stablehlo.add %9, %10 : tensor<3xf32>
			return %0, %1, %2, %3, %5, %6, %7, %8, %11 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
		}`},
		{"conjugates", `func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
			%0 = stablehlo.complex %a, %b : tensor<3xcomplex<f32>>
			%1 = chlo.conj %0 : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
			return %1 : tensor<3xcomplex<f32>>
		}`},
		{"rng_bit_generator", `func.func @main(%a: tensor<2xi32>) -> tensor<3xi32> {
			%0 = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xui64>
			%1, %2 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
			%3 = stablehlo.bitcast_convert %2 : (tensor<3xui32>) -> tensor<3xi32>
			return %3 : tensor<3xi32>
		}`},
		{"select_and_scatter from batched initial values",
			`func.func @main(%a: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) -> tensor<4xf32> {
			%0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %1 : tensor<i1>
			}, {
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%1 = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %1 : tensor<f32>
			}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
			return %0 : tensor<4xf32>
		}`},
		{"torch_index_select", `func.func @main(%a: tensor<5x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
			%0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<5x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
			return %0 : tensor<3x2xf32>
		}`},
		{"collectives",
			`func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
			%0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%5 = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %5 : tensor<f32>
			}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
			%1 = "stablehlo.all_gather"(%b) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
			%2 = "stablehlo.reduce_scatter"(%b) <{scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> ({
			^bb0(%x: tensor<f32>, %y: tensor<f32>):
				%5 = stablehlo.add %x, %y : tensor<f32>
				stablehlo.return %5 : tensor<f32>
			}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
			%3 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, split_count = 1 : i64, split_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
			%4 = "stablehlo.collective_permute"(%b) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
			return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
		}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := func(t *testing.T, f mlir.Operation) func(...tensor.View) []tensor.View {
				return compile(t, client, f)
			}
			holdsForEach(t, run, function(t, parse(t, test.module), "main"), vmap.Options{})
		})
	}
}

// TestForms holds the types of operations that no plugin here runs, or whose results are random.
func TestForms(t *testing.T) {
	for _, test := range []struct{ name, from, operation, to, want string }{
		{"rng", "tensor<f32>", `%shape = stablehlo.constant dense<4> : tensor<1xi64>
			%0 = stablehlo.rng %x, %x, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>`, "tensor<4xf32>", "tensor<3x4xf32>"},
		{"collective_broadcast", "tensor<2xf32>", `%0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>`, "tensor<2xf32>", "tensor<3x2xf32>"},
		{"cross-replica-sum", "tensor<2xf32>", `%0 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>`, "tensor<2xf32>", "tensor<3x2xf32>"},
		{"unary_einsum", "tensor<2x3xf32>", `%0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ab->b"}> : (tensor<2x3xf32>) -> tensor<3xf32>`, "tensor<3xf32>", "tensor<3x3xf32>"},
		{"quantization", "tensor<2xf32>",
			`%q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
			%0 = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>`, "tensor<2xf32>", "tensor<3x2xf32>"},
		{"ragged_dot", "tensor<4x5xf32>", `%w = stablehlo.constant dense<1.0> : tensor<2x5x6xf32>
			%g = stablehlo.constant dense<2> : tensor<2xi64>
			%0 = "chlo.ragged_dot"(%x, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<4x5xf32>, tensor<2x5x6xf32>, tensor<2xi64>) -> tensor<4x6xf32>`, "tensor<4x6xf32>", "tensor<3x4x6xf32>"},
		{"mulhi", "tensor<2xi32>", `%0 = chlo.mulhi %x, %x : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>`,
			"tensor<2xi32>", "tensor<3x2xi32>"},
		{"kernel of asin and acos", "tensor<2xcomplex<f32>>",
			`%0 = "chlo._asin_acos_kernel"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>`,
			"tensor<2xcomplex<f32>>", "tensor<3x2xcomplex<f32>>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := function(t, parse(t, fmt.Sprintf("func.func @main(%%x: %s) -> %s {\n%s\nreturn %%0 : %s\n}", test.from,
				test.to, test.operation, test.to)), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 3})
			check.NoError(t, err)
			a, _ := batched.Attribute("function_type")
			if !strings.HasSuffix(a.String(), "-> "+test.want) {
				t.Errorf("%s, want a result of %s", a, test.want)
			}
		})
	}
}

// TestManual holds the shardings of a manual computation on a batch.
func TestManual(t *testing.T) {
	f := function(t, mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), `sdy.mesh @mesh = <["i"=2]>
	func.func @main(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
		%0 = sdy.sharding_constraint %x <@mesh, [{"i"}]> : tensor<4xf32>
		%1:2 = sdy.manual_computation(%0, %s) in_shardings=[<@mesh, [{"i"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"i"}]>, <@mesh, []>] manual_axes={"i"} (%y: tensor<2xf32>, %r: tensor<f32>) {
			%2 = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<2xf32>
			%3 = stablehlo.multiply %y, %2 : tensor<2xf32>
			sdy.return %3, %r : tensor<2xf32>, tensor<f32>
		} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
		return %1#0, %1#1 : tensor<4xf32>, tensor<f32>
	}`), "main")
	batched, err := vmap.Batch(f, vmap.Options{Size: 3, In: []int{0, vmap.NotBatched}})
	check.NoError(t, err)
	for _, part := range []string{
		`sdy.sharding_constraint %arg0 <@mesh, [{?}, {"i"}]> : tensor<3x4xf32>`,
		`in_shardings=[<@mesh, [{}, {"i"}]>, <@mesh, []>] out_shardings=[<@mesh, [{}, {"i"}]>, <@mesh, [{}]>]`,
		`(tensor<3x4xf32>, tensor<f32>) -> (tensor<3x4xf32>, tensor<3xf32>)`,
	} {
		if !strings.Contains(batched.String(), part) {
			t.Errorf("there is no %s in\n%s", part, batched)
		}
	}
}

// TestManualToken holds that a token, which a manual computation takes and returns, is not batched.
func TestManualToken(t *testing.T) {
	f := function(t, mlirtest.Parse(t, mlirtest.Context(t), `sdy.mesh @mesh = <["i"=2]>
	func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>) {
		%0:2 = sdy.manual_computation(%t, %x) in_shardings=[<@mesh, []>, <@mesh, [{"i"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"i"}]>] manual_axes={"i"} (%token: !stablehlo.token, %y: tensor<2xf32>) {
			%1:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%token, %y) {has_side_effect = true,
				mhlo.backend_config = {index = 0 : ui64}} : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
			sdy.return %1#0, %1#1 : !stablehlo.token, tensor<2xf32>
		} : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
		return %0#0, %0#1 : !stablehlo.token, tensor<4xf32>
	}`), "main")
	batched, err := vmap.Batch(f, vmap.Options{Size: 3, Method: contract.Sequential})
	check.NoError(t, err)
	check.NoError(t, batched.Verify())
	for _, part := range []string{
		`out_shardings=[<@mesh, []>, <@mesh, [{}, {"i"}]>]`,
		`(!stablehlo.token, tensor<3x4xf32>) -> (!stablehlo.token, tensor<3x4xf32>)`,
	} {
		if !strings.Contains(batched.String(), part) {
			t.Errorf("there is no %s in\n%s", part, batched)
		}
	}
}

// TestLAPACK holds the batch of JAX's calls of LAPACK, which is that of JAX.
func TestLAPACK(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	check.NoError(t, lapack.Register(plugin))
	client := newClient(t)
	f := function(t,
		parse(t, `func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>) {
		%0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {
			backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"},
			operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>],
			output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]
		} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
		%1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {
			backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"},
			operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>],
			output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]
		} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
		return %0, %1#1 : tensor<3x2xf32>, tensor<3xf32>
	}`), "main")
	run := func(t *testing.T, f mlir.Operation) func(...tensor.View) []tensor.View { return compile(t, client, f) }
	holdsForEach(t, run, f, vmap.Options{})
	batched, err := vmap.Batch(f, vmap.Options{Size: 2})
	check.NoError(t, err)
	for _, part := range []string{
		`num_batch_dims = "1"`, `result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]`,
	} {
		if !strings.Contains(batched.String(), part) {
			t.Errorf("there is no %s in\n%s", part, batched)
		}
	}
}
