package jit_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

func run(t *testing.T, text string, inputs ...tensor.View) []tensor.View {
	t.Helper()
	return runOn(t, mlirtest.Library(t), text, inputs...)
}

func runOn(t *testing.T, l *mlir.Library, text string, inputs ...tensor.View) []tensor.View {
	t.Helper()
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, l), text)
	e, err := jit.Compile(t.Context(), m, jit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	results, err := e.Call(t.Context(), inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestCall(t *testing.T) {
	tests := []struct {
		name, text   string
		inputs, want []tensor.View
	}{
		{"chain", `func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
			%0 = stablehlo.add %x, %x : tensor<3xf32>
			%1 = stablehlo.multiply %0, %x : tensor<3xf32>
			%2 = stablehlo.negate %1 : tensor<3xf32>
			return %1, %2 : tensor<3xf32>, tensor<3xf32> }`,
			[]tensor.View{tensor.Vector[float32](1, 2, 3)},
			[]tensor.View{tensor.Vector[float32](2, 8, 18), tensor.Vector[float32](-2, -8, -18)}},
		{"a product that is a result, and one of it", `func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
			%0 = stablehlo.dot %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
			%1 = stablehlo.add %0, %0 : tensor<2x2xf32>
			%2 = stablehlo.dot %1, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
			return %0, %2 : tensor<2x2xf32>, tensor<2x2xf32> }`,
			[]tensor.View{array(t, []float32{1, 1, 0, 1}, 2, 2)},
			[]tensor.View{array(t, []float32{1, 2, 0, 1}, 2, 2), array(t, []float32{2, 6, 0, 2}, 2, 2)}},
		{"approximations in a private function", `func.func private @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%0 = stablehlo.tanh %x : tensor<2xf32>
			return %0 : tensor<2xf32> }`,
			[]tensor.View{tensor.Vector[float32](0, 100)}, []tensor.View{tensor.Vector[float32](0, 1)}},
		{"concatenation", `func.func @main(%x: tensor<1x2xui8>, %y: tensor<2x2xui8>) -> tensor<3x2xui8> {
			%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<1x2xui8>, tensor<2x2xui8>) -> tensor<3x2xui8>
			return %0 : tensor<3x2xui8> }`,
			[]tensor.View{array(t, []uint8{1, 200}, 1, 2), array(t, []uint8{3, 4, 5, 255}, 2, 2)},
			[]tensor.View{array(t, []uint8{1, 200, 3, 4, 5, 255}, 3, 2)}},
		{"product", `func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2xf32> {
			%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
			%1 = stablehlo.tanh %0 : tensor<2x2xf32>
			%2 = stablehlo.add %0, %1 : tensor<2x2xf32>
			%3 = stablehlo.subtract %2, %1 : tensor<2x2xf32>
			%c = stablehlo.constant dense<0.0> : tensor<f32>
			%r = stablehlo.reduce(%3 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
			return %r : tensor<2xf32> }`,
			[]tensor.View{array(t, []float32{0, 0, 64, 128}, 2, 2), array(t, []float32{1, 2, 3, 4}, 2, 2)},
			[]tensor.View{tensor.Vector[float32](0, 1088)}},
		{"integers of floats that the types lack", `func.func @main(%x: tensor<5xf32>) -> (tensor<5xi8>, tensor<5xui32>, tensor<5xi64>) {
				%0 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi8>
				%1 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xui32>
				%2 = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi64>
				return %0, %1, %2 : tensor<5xi8>, tensor<5xui32>, tensor<5xi64> }`,
			[]tensor.View{tensor.Vector(1e20, -1e20, 127.5, -0.5, float32(math.NaN()))},
			[]tensor.View{tensor.Vector[int8](127, -128, 127, 0, 0),
				tensor.Vector[uint32](math.MaxUint32, 0, 127, 0, 0),
				tensor.Vector[int64](math.MaxInt64, math.MinInt64, 127, 0, 0)}},
		{"the largest elements, as JAX's approx_max_k", `func.func private @gt(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
				%0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
				return %0 : tensor<i1>
			}
			func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
				%0 = stablehlo.iota dim = 0 : tensor<4xi32>
				%c = stablehlo.constant dense<-1> : tensor<i32>
				%d = stablehlo.constant dense<0xFF800000> : tensor<f32>
				%1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %d, %c) {called_computations = [@gt], mhlo.backend_config = {
					reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
				return %1#0, %1#1 : tensor<2xf32>, tensor<2xi32>
			}`,
			[]tensor.View{tensor.Vector[float32](1, 4, 2, 3)},
			[]tensor.View{tensor.Vector[float32](4, 3), tensor.Vector[int32](1, 3)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, run(t, tt.text, tt.inputs...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func array[T tensor.Element](t *testing.T, data []T, dims ...int) tensor.View {
	t.Helper()
	v, err := tensor.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
