package vmap_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// program is a small loss with a product, a loop, a maximum and an index.
const program = `func.func @main(%x: tensor<3xf32>, %w: tensor<3x3xf32>) -> tensor<f32> {
	%zero = stablehlo.constant dense<0.0> : tensor<f32>
	%start = stablehlo.constant dense<0> : tensor<i32>
	%one = stablehlo.constant dense<1> : tensor<i32>
	%limit = stablehlo.constant dense<3> : tensor<i32>
	%0:2 = stablehlo.while(%i = %start, %c = %x) : tensor<i32>, tensor<3xf32>
	cond {
		%1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
		stablehlo.return %1 : tensor<i1>
	} do {
		%1 = stablehlo.dot_general %w, %c, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
		%2 = stablehlo.tanh %1 : tensor<3xf32>
		%3 = stablehlo.add %i, %one : tensor<i32>
		stablehlo.return %3, %2 : tensor<i32>, tensor<3xf32>
	}
	%4 = stablehlo.slice %x [1:2] : (tensor<3xf32>) -> tensor<1xf32>
	%5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
	%6 = stablehlo.compare GT, %5, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
	%7 = "stablehlo.if"(%6) ({
		%8 = stablehlo.multiply %0#1, %x : tensor<3xf32>
		stablehlo.return %8 : tensor<3xf32>
	}, {
		%8 = stablehlo.sine %0#1 : tensor<3xf32>
		stablehlo.return %8 : tensor<3xf32>
	}) : (tensor<i1>) -> tensor<3xf32>
	%9 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
	return %9 : tensor<f32>
}`

// TestOfGradient holds that a batch of a gradient has the gradient of each example.
func TestOfGradient(t *testing.T) {
	grad, err := autodiff.Grad(function(t, parse(t, program), "main"), autodiff.Options{})
	check.NoError(t, err)
	holdsForEach(t, evaluate, grad, vmap.Options{})
}

// TestGradientOfBatch holds that the derivative of a batch is the batch of the derivative.
func TestGradientOfBatch(t *testing.T) {
	m := parse(t, program)
	f := function(t, m, "main")
	batched, err := vmap.Batch(f, vmap.Options{Size: 4})
	check.NoError(t, err)
	first, err := autodiff.JVP(batched, autodiff.Options{})
	check.NoError(t, err)
	jvp, err := autodiff.JVP(f, autodiff.Options{})
	check.NoError(t, err)
	second, err := vmap.Batch(jvp, vmap.Options{Size: 4})
	check.NoError(t, err)
	arguments := randomFor(t, first)
	want, got := evaluate(t, first)(arguments...), evaluate(t, second)(arguments...)
	for i := range want {
		transformtest.Near(t, fmt.Sprintf("result %d", i), want[i], got[i])
	}
	forward, backward, err := autodiff.VJP(batched, autodiff.Options{})
	check.NoError(t, err)
	kept := evaluate(t, forward)(arguments[:2]...)
	of := evaluate(t, backward)(append(kept[1:], vector([]int{4}, 1, 1, 1, 1))...)
	grad, err := autodiff.Grad(f, autodiff.Options{})
	check.NoError(t, err)
	each, err := vmap.Batch(grad, vmap.Options{Size: 4})
	check.NoError(t, err)
	for i, w := range evaluate(t, each)(arguments[:2]...) {
		transformtest.Near(t, fmt.Sprintf("gradient %d", i), w, of[i])
	}
}

// TestJacobian makes the Jacobian of tanh(w·x) by a batch of tangents.
func TestJacobian(t *testing.T) {
	m := parse(t, `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.multiply %x, %x : tensor<2xf32>
		%1 = stablehlo.reverse %0, dims = [0] : tensor<2xf32>
		return %1 : tensor<2xf32>
	}`)
	jvp, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	jacobian, err := vmap.Batch(jvp, vmap.Options{
		Size: 2, In: []int{vmap.NotBatched, 0}, Out: []int{vmap.NotBatched, 1},
	})
	check.NoError(t, err)
	got := evaluate(t, jacobian)(vector([]int{2}, 3, 5), vector([]int{2, 2}, 1, 0, 0, 1))
	check.Diff(t, "jacobian", []float32{0, 10, 6, 0}, floats(got[1]))
}

// TestOfBatch holds that a batch of a batch is the function for each pair.
func TestOfBatch(t *testing.T) {
	batched, err := vmap.Batch(function(t, parse(t, program), "main"),
		vmap.Options{Size: 2, In: []int{0, vmap.NotBatched}})
	check.NoError(t, err)
	holdsForEach(t, evaluate, batched, vmap.Options{})
}

// randomFor returns random arguments of a function.
func randomFor(t *testing.T, f mlir.Operation) (list []tensor.View) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for _, v := range f.Region(0).First().Arguments() {
		list = append(list, random(t, r, v.Type()))
	}
	return list
}
