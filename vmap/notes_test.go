package vmap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/vmap"
)

// doubling doubles x until it is not less than the limit.
const doubling = `func.func @main(%x: tensor<f32>, %limit: tensor<f32>) -> tensor<f32> {
	%two = stablehlo.constant dense<2.0> : tensor<f32>
	%r = stablehlo.while(%c = %x) : tensor<f32> attributes {calliope.max_steps = 3 : i64}
	cond {
		%0 = stablehlo.compare LT, %c, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
		stablehlo.return %0 : tensor<i1>
	} do {
		%0 = stablehlo.multiply %c, %two : tensor<f32>
		stablehlo.return %0 : tensor<f32>
	}
	return %r : tensor<f32>
}`

// TestMaxSteps differentiates batches of a loop that states its most steps. The condition differs in the batch, or the
// limit alone is the same for all.
func TestMaxSteps(t *testing.T) {
	client := newClient(t)
	for name, in := range map[string][]int{
		"the condition differs": {0, 0}, "one limit": {0, vmap.NotBatched}, "one value": {vmap.NotBatched, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := function(t, parse(t, doubling), "main")
			batched, err := vmap.Batch(f, vmap.Options{Size: 2, In: in})
			check.NoError(t, err)
			forward, backward, err := autodiff.VJP(batched, autodiff.Options{Parameters: []int{0}})
			check.NoError(t, err)
			x, limit, want := vector([]int{2}, 1, 3), vector([]int{2}, 8, 6), []float64{8, 2}
			switch vmap.NotBatched {
			case in[0]:
				x, want = vector(nil, 1), []float64{16}
			case in[1]:
				limit, want = vector(nil, 8), []float64{8, 4}
			}
			kept := compile(t, client, forward)(x, limit)[1:]
			got := compile(t, client, backward)(append(kept, vector([]int{2}, 1, 1))...)
			check.Diff(t, "derivative", want, transformtest.Numbers(t, got[0]), cmpopts.EquateApprox(0, 1e-6))
		})
	}
}

// TestNotes holds that operations keep the attributes of other dialects, but shardings.
func TestNotes(t *testing.T) {
	m := parse(t, `func.func @main(
		%x: tensor<4xf32>, %p: tensor<f32>, %i: tensor<i32>, %b: tensor<i1>
	) -> tensor<4xf32> {
		%0 = stablehlo.pad %x, %p, low = [1], high = [-1], interior = [0] {mhlo.frontend_attributes = {n = "pad"}}
			: (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
		%1 = stablehlo.dynamic_slice %0, %i, sizes = [2] {mhlo.frontend_attributes = {n = "slice"}}
			: (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
		%2 = stablehlo.broadcast_in_dim %1, dims = [0] {
			mhlo.frontend_attributes = {n = "broadcast"}, mhlo.sharding = "{devices=[1,1]<=[1]}"}
			: (tensor<2xf32>) -> tensor<2x2xf32>
		%3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] {mhlo.frontend_attributes = {n = "dot"}}
			: (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
		%4 = stablehlo.concatenate %3, %3, dim = 0 {mhlo.frontend_attributes = {n = "concatenate"}}
			: (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
		%5 = "stablehlo.if"(%b) ({
			stablehlo.return %4 : tensor<4xf32>
		}, {
			stablehlo.return %x : tensor<4xf32>
		}) {mhlo.frontend_attributes = {n = "if"}} : (tensor<i1>) -> tensor<4xf32>
		return %5 : tensor<4xf32>
	}`)
	batched, err := vmap.Batch(function(t, m, "main"),
		vmap.Options{Size: 3, In: []int{0, vmap.NotBatched, vmap.NotBatched, vmap.NotBatched}})
	check.NoError(t, err)
	text := batched.String()
	for _, name := range []string{"pad", "slice", "broadcast", "dot", "concatenate", "if"} {
		check.Diff(t, name, 1, strings.Count(text, `n = "`+name+`"`))
	}
	check.Diff(t, "shardings", 0, strings.Count(text, "mhlo.sharding"))
}
