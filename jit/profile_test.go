package jit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestProfile measures a run with a loop: its pieces have the operations that they compute.
func TestProfile(t *testing.T) {
	var got []jit.Profile
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>)
			-> (tensor<64x64xf32>, tensor<64xf32>) {
		%zero = stablehlo.constant dense<0> : tensor<i32>
		%one = stablehlo.constant dense<1> : tensor<i32>
		%z = stablehlo.constant dense<0.0> : tensor<f32>
		%r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<64x64xf32>
		cond {
			%c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
			stablehlo.return %c : tensor<i1>
		} do {
			%j = stablehlo.subtract %i, %one : tensor<i32>
			%b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0]
				: (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
			%d = stablehlo.tanh %b : tensor<64x64xf32>
			stablehlo.return %j, %d : tensor<i32>, tensor<64x64xf32>
		}
		%s = stablehlo.sine %r#1 : tensor<64x64xf32>
		%t = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
			: (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
		return %r#1, %t : tensor<64x64xf32>, tensor<64xf32> }`)
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{Profile: func(p jit.Profile) { got = append(got, p) }}))
	check.Cleanup(t, e)
	x := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 64, 64), Data: make([]byte, 64*64*4)}
	for range 2 {
		check.Must(e.Call(t.Context(), x, tensor.Scalar[int32](3)))
	}
	check.Diff(t, "runs", 2, len(got))
	p := got[1]
	counts, laps := map[string]int{}, 0
	for _, piece := range p.Pieces {
		counts[fmt.Sprint(piece.Operations)] += piece.Count
		laps += piece.Count
		if piece.Count > 0 && piece.Time <= 0 || piece.Time > time.Minute {
			t.Errorf("%v took %v", piece.Operations, piece.Time)
		}
	}
	for operations, want := range map[string]int{"[stablehlo.tanh at test.mlir:14:9]": 3,
		"[stablehlo.sine at test.mlir:17:8 stablehlo.reduce at test.mlir:18:24]": 1} {
		if counts[operations] != want {
			t.Errorf("%s ran %d times, want %d: %v", operations, counts[operations], want, counts)
		}
	}
	check.Diff(t, "laps", laps, len(p.Laps))
	var end time.Duration
	for _, l := range p.Laps {
		if l.Begin != end || l.End < l.Begin {
			t.Errorf("a lap is from %v to %v after one to %v", l.Begin, l.End, end)
		}
		end = l.End
	}
}

// TestProfileOfChain names all operations of a chain, which several threads compute.
func TestProfileOfChain(t *testing.T) {
	t.Setenv("CALLIOPE_JIT_CHAINS", "all")
	var got []string
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
		%z = stablehlo.constant dense<0.0> : tensor<f32>
		%y = stablehlo.sine %x : tensor<8x16xf32>
		%s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1]
			: (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
		%b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
		%d = stablehlo.divide %y, %b : tensor<8x16xf32>
		return %d : tensor<8x16xf32> }`)
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{Profile: func(p jit.Profile) {
		for _, piece := range p.Pieces {
			got = append(got, fmt.Sprint(piece.Operations))
		}
	}}))
	check.Cleanup(t, e)
	check.Must(e.Call(t.Context(), tensor.View{Shape: tensor.ShapeOf(tensor.F32, 8, 16), Data: make([]byte, 8*16*4)}))
	check.Diff(t, "pieces", []string{"[stablehlo.sine at test.mlir:3:8 stablehlo.reduce at test.mlir:4:24 " +
		"stablehlo.divide at test.mlir:7:8]"}, got)
}
