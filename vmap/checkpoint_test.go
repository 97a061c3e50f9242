package vmap_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// layers computes a checkpoint of a checkpoint of sin(exp(w·tanh(x))), as calls or composites, in a branch that differs
// in a batch of x.
func layers(call string) string {
	return fmt.Sprintf(`func.func private @inner(%%w: tensor<2x2xf32>, %%x: tensor<2xf32>) -> tensor<2xf32> {
		%%0 = stablehlo.tanh %%x : tensor<2xf32>
		%%1 = stablehlo.dot_general %%w, %%0, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
		%%2 = stablehlo.exponential %%1 : tensor<2xf32>
		%%3 = stablehlo.sine %%2 : tensor<2xf32>
		return %%3 : tensor<2xf32>
	}
	func.func private @layer(%%w: tensor<2x2xf32>, %%x: tensor<2xf32>) -> tensor<2xf32> {
		%%0 = %s : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
		return %%0 : tensor<2xf32>
	}
	func.func private @layers(%%w: tensor<2x2xf32>, %%x: tensor<2xf32>) -> tensor<f32> {
		%%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%%0 = call @layer(%%w, %%x) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
		%%1 = stablehlo.reduce(%%0 init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
		%%2 = stablehlo.compare LT, %%1, %%zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
		%%3 = "stablehlo.if"(%%2) ({
			%%4 = call @layer(%%w, %%0) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
			stablehlo.return %%4 : tensor<2xf32>
		}, {
			stablehlo.return %%0 : tensor<2xf32>
		}) : (tensor<i1>) -> tensor<2xf32>
		%%5 = stablehlo.reduce(%%3 init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
		return %%5 : tensor<f32>
	}`, call)
}

// TestCheckpoint holds that a batch of a checkpoint is a checkpoint, which computes its values again in the backward
// pass, and that its derivative is that of the batch of the same function without checkpoints.
func TestCheckpoint(t *testing.T) {
	client := newClient(t)
	w, x := vector([]int{2, 2}, 0.4, -1.2, 0.7, 0.3), vector([]int{3, 2}, 0.1, 0.9, -0.4, 1.7, -2.5, 0.6)
	var plain []float32
	for _, c := range []struct {
		call string
		tanh int
	}{
		{"call @inner(%w, %x)", 2},
		{`call @inner(%w, %x) {calliope.checkpoint = "nothing_saveable"}`, 4},
		{`stablehlo.composite "calliope.checkpoint" %w, %x {decomposition = @inner}`, 4},
		{`call @inner(%w, %x) {calliope.checkpoint = "dots_saveable"}`, 4},
	} {
		t.Run(c.call, func(t *testing.T) {
			m := parse(t, layers(c.call))
			batched, err := vmap.Batch(function(t, m, "layers"), vmap.Options{Size: 3, In: []int{vmap.NotBatched, 0}})
			check.NoError(t, err)
			forward, backward, err := autodiff.VJP(batched, autodiff.Options{})
			check.NoError(t, err)
			check.Diff(t, "computations of tanh", c.tanh, tanhs(forward)+tanhs(backward))
			kept := compile(t, client, forward)(w, x)
			got := compile(t, client, backward)(append(kept[1:], vector([]int{3}, 1, 2, 3))...)
			gradient := append(floats(got[0]), floats(got[1])...)
			if plain == nil {
				plain = gradient
			}
			check.Diff(t, "gradients", plain, gradient)
		})
	}
}

func tanhs(f mlir.Operation) (n int) {
	for op := range f.All() {
		if op.Name() == "stablehlo.tanh" {
			n++
		}
	}
	return n
}
