package jit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// donating are functions of two arrays that give their memory to results.
var donating = []struct {
	name, body string // of the function, with the results
	donors     []int  // by result; -1 for none
	want       []tensor.View
}{
	{"an update in place", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> {
		%0 = stablehlo.multiply %x, %y : tensor<3xf32>
		return %0 : tensor<3xf32> }`,
		[]int{0}, []tensor.View{tensor.Vector[float32](4, 10, 18)}},
	{"a parameter that is read after the update", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>)
			-> (tensor<3xf32>, tensor<3xf32>) {
		%i = stablehlo.constant dense<1> : tensor<i32>
		%u = stablehlo.constant dense<7.0> : tensor<1xf32>
		%0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
		%1 = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
		%2 = stablehlo.add %0, %1 : tensor<3xf32>
		return %0, %2 : tensor<3xf32>, tensor<3xf32> }`,
		[]int{0, -1}, []tensor.View{tensor.Vector[float32](1, 7, 3), tensor.Vector[float32](4, 9, 4)}},
	{"a result that reads other elements", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>)
			-> tensor<3xf32> {
		%0 = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
		return %0 : tensor<3xf32> }`,
		[]int{0}, []tensor.View{tensor.Vector[float32](3, 2, 1)}},
	{"parameters that change places", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32},
			%y: tensor<3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<3xf32>, tensor<3xf32>) {
		return %y, %x : tensor<3xf32>, tensor<3xf32> }`,
		[]int{0, 1}, []tensor.View{tensor.Vector[float32](4, 5, 6), tensor.Vector[float32](1, 2, 3)}},
	{"a parameter that is two results", `%x: tensor<3xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<3xf32>)
			-> (tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32>) {
		%0 = stablehlo.add %x, %y : tensor<3xf32>
		%1 = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>
		return %x, %0, %1 : tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32> }`,
		[]int{-1, 0, -1}, []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Vector[float32](5, 7, 9),
			check.Must(tensor.FromSlice([]float32{1, 2, 3}, 1, 3))}},
	{"parts of a parameter", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>)
			-> (tensor<3xf32>, tensor<1xf32>, tensor<3xf32>, tensor<3xui32>) {
		%p = stablehlo.constant dense<true> : tensor<i1>
		%0 = stablehlo.add %x, %y : tensor<3xf32>
		%1 = stablehlo.slice %x [1:2] : (tensor<3xf32>) -> tensor<1xf32>
		%2 = "stablehlo.if"(%p) ({ stablehlo.return %x : tensor<3xf32> }, { stablehlo.return %y : tensor<3xf32> })
			: (tensor<i1>) -> tensor<3xf32>
		%3 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xui32>
		return %0, %1, %2, %3 : tensor<3xf32>, tensor<1xf32>, tensor<3xf32>, tensor<3xui32> }`,
		[]int{0, -1, -1, -1}, []tensor.View{tensor.Vector[float32](5, 7, 9), tensor.Vector[float32](2),
			tensor.Vector[float32](1, 2, 3), tensor.Vector[uint32](0x3f800000, 0x40000000, 0x40400000)}},
	{"a parameter as it is", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> {
		return %x : tensor<3xf32> }`,
		[]int{0}, []tensor.View{tensor.Vector[float32](1, 2, 3)}},
	{"donors that fit", `%x: tensor<3xf32> {jax.buffer_donor = true}, %y: tensor<3xf32> {jax.buffer_donor = true})
			-> (tensor<f32>, tensor<3xf32>) {
		%c = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.add %x, %y : tensor<3xf32>
		%1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0]
			: (tensor<3xf32>, tensor<f32>) -> tensor<f32>
		return %1, %0 : tensor<f32>, tensor<3xf32> }`,
		[]int{-1, 0}, []tensor.View{tensor.Scalar[float32](6), tensor.Vector[float32](5, 7, 9)}},
	{"two updates of a parameter", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32},
			%y: tensor<3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<3xf32>, tensor<3xf32>) {
		%i = stablehlo.constant dense<1> : tensor<i32>
		%u = stablehlo.constant dense<7.0> : tensor<1xf32>
		%0 = stablehlo.add %x, %y : tensor<3xf32>
		%1 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
		return %0, %1 : tensor<3xf32>, tensor<3xf32> }`,
		[]int{0, 1}, []tensor.View{tensor.Vector[float32](5, 7, 9), tensor.Vector[float32](1, 7, 3)}},
	{"a product that reads the parameter", `%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> {
		%0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>
		%1 = stablehlo.dot %0, %x : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
		return %1 : tensor<3xf32> }`,
		[]int{0}, []tensor.View{tensor.Vector[float32](14, 14, 14)}},
	{"a parameter with both attributes", `%x: tensor<3xf32> {tf.aliasing_output = 1 : i32, jax.buffer_donor = true},
			%y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
		%0 = stablehlo.add %x, %x : tensor<3xf32>
		%1 = stablehlo.add %0, %y : tensor<3xf32>
		return %0, %1 : tensor<3xf32>, tensor<3xf32> }`,
		[]int{-1, 0}, []tensor.View{tensor.Vector[float32](2, 4, 6), tensor.Vector[float32](6, 9, 12)}},
	{"a loop", `%x: tensor<3xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
		%zero = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<3xf32>
			cond { %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1> }
			do { %n = stablehlo.add %i, %one : tensor<i32>
				%m = stablehlo.add %s, %x : tensor<3xf32>
				stablehlo.return %n, %m : tensor<i32>, tensor<3xf32> }
		return %x, %0#1 : tensor<3xf32>, tensor<3xf32> }`,
		[]int{-1, 0}, []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Vector[float32](2, 4, 6)}},
}

// TestDonors holds results in the memory of parameters to those in memory of their own, which leave the parameters as
// they are.
func TestDonors(t *testing.T) {
	for _, tt := range donating {
		t.Run(tt.name, func(t *testing.T) {
			e := compile(t, "func.func @main("+tt.body)
			for i, want := range tt.donors {
				if got, ok := e.Donor(i); ok != (want >= 0) || ok && got != want {
					t.Errorf("result %d has the donor %d, %t, want %d", i, got, ok, want)
				}
			}
			inputs := func() []tensor.View {
				return []tensor.View{tensor.Vector[float32](1, 2, 3), tensor.Vector[float32](4, 5, 6)}
			}
			kept := inputs()
			got := check.Must(e.Call(t.Context(), kept...))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(inputs(), kept); diff != "" {
				t.Errorf("the run changed its inputs: %s", diff)
			}
			donated, outputs := inputs(), make([]tensor.View, len(tt.want))
			for i, v := range tt.want {
				outputs[i] = v.Clone()
				clear(outputs[i].Data)
				if k, ok := e.Donor(i); ok {
					outputs[i] = donated[k]
				}
			}
			check.NoError(t, e.CallInto(t.Context(), outputs, donated...))
			if diff := cmp.Diff(tt.want, outputs); diff != "" {
				t.Errorf("in the memory of the inputs: %s", diff)
			}
		})
	}
}

// A result may be a parameter that a callback changes for another result.
func TestDonorsOfCallback(t *testing.T) {
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		f.Args[0].Data[0]++
		return nil
	}, callbacks.Options{})
	e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32> {tf.aliasing_output = 0 : i32},
			%%y: tensor<3xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<3xf32>, tensor<3xf32>) {
		%%p = `+passing+`
		return %%x, %%p : tensor<3xf32>, tensor<3xf32> }`, "%x"))
	x := tensor.Vector[float32](1, 2, 3)
	changed := x.Clone()
	changed.Data[0]++
	outputs := []tensor.View{x.Clone(), x.Clone()}
	check.NoError(t, e.CallInto(t.Context(), outputs, outputs...))
	if diff := cmp.Diff([]tensor.View{x, changed}, outputs); diff != "" {
		t.Error(diff)
	}
}

// An array that passes through a callback stays in the memory of the parameter that gives it.
func TestDonorOfCallback(t *testing.T) {
	var seen *byte
	register(t, "jit.callback", func(f *callbacks.Frame) error {
		seen = &f.Args[0].Data[0]
		v, err := tensor.Slice[float32](f.Args[0])
		v[0] = 9
		return err
	}, callbacks.Options{})
	e := compile(t, fmt.Sprintf(`func.func @main(%%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
		%%p = `+passing+`
		return %%p : tensor<3xf32> }`, "%x"))
	x := tensor.Vector[float32](1, 2, 3)
	want := []tensor.View{tensor.Vector[float32](9, 2, 3)}
	if diff := cmp.Diff(want, check.Must(e.Call(context.Background(), x))); diff != "" || seen == &x.Data[0] {
		t.Errorf("the callback has the input's memory, or: %s", diff)
	}
	outputs := []tensor.View{x}
	check.NoError(t, e.CallInto(context.Background(), outputs, x))
	if diff := cmp.Diff(want, outputs); diff != "" || seen != &x.Data[0] {
		t.Errorf("the callback has other memory than the input's, or: %s", diff)
	}
}
