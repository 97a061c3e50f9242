package jit_test

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestCallIntoAllocatesNothing(t *testing.T) {
	const square = `func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
		%0 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
		%1 = stablehlo.dot %0, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
		return %1 : tensor<64x64xf32> }`
	const loop = `func.func @main(%x: tensor<i32>) -> tensor<i32> {
		%one = stablehlo.constant dense<1> : tensor<i32>
		%end = stablehlo.constant dense<10> : tensor<i32>
		%0 = stablehlo.while(%i = %x) : tensor<i32>
			cond { %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1> }
			do { %n = stablehlo.add %i, %one : tensor<i32>
				stablehlo.return %n : tensor<i32> }
		return %0 : tensor<i32> }`
	endless, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, tt := range []struct {
		name, text string
		ctx        context.Context
		input      tensor.View
	}{
		{"with temporaries", square, endless, array(t, make([]float32, 64*64), 64, 64)},
		{"with a loop", loop, context.Background(), tensor.Scalar[int32](0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), tt.text), jit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			inputs, outputs := []tensor.View{tt.input}, []tensor.View{tt.input.Clone()}
			if n := testing.AllocsPerRun(100, func() {
				if err := e.CallInto(tt.ctx, outputs, inputs...); err != nil {
					t.Error(err)
				}
			}); n != 0 {
				t.Errorf("a run allocates %v times", n)
			}
		})
	}
}
