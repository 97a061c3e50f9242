package jit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestUndivided compiles modules whose arrays are divided over devices, for one device.
func TestUndivided(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"a module for one device", `sdy.mesh @mesh = <["x"=1]>
			func.func @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
				-> (tensor<2xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
				%0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xf32>
				%1 = stablehlo.add %0, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<2xf32>
				return %1 : tensor<2xf32>
			}`},
		{"a module for two devices", `sdy.mesh @mesh = <["x"=2]>
			func.func @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
				%0 = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<2xf32>
				sdy.sharding_group %0 group_id=0 : tensor<2xf32>
				%1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<2xf32>
				%2 = stablehlo.add %1, %x : tensor<2xf32>
				return %2 : tensor<2xf32>
			}`},
		{"a manual computation", `sdy.mesh @mesh = <["x"=1]>
			func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
				%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
					manual_axes={"x"} (%y: tensor<2xf32>) {
					%1 = stablehlo.add %y, %y : tensor<2xf32>
					sdy.return %1 : tensor<2xf32>
				} : (tensor<2xf32>) -> tensor<2xf32>
				return %0 : tensor<2xf32>
			}`},
		{"annotations of XLA", `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
				%0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2]<=[2]}"}
					: (tensor<2xf32>) -> tensor<2xf32>
				%1 = stablehlo.custom_call @LayoutConstraint(%0) : (tensor<2xf32>) -> tensor<2xf32>
				%2 = stablehlo.custom_call @SPMDFullToShardShape(%1) : (tensor<2xf32>) -> tensor<2xf32>
				stablehlo.custom_call @xla.sdy.ShardingGroup(%2) {has_side_effect = true}
					: (tensor<2xf32>) -> ()
				%3 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%2) : (tensor<2xf32>) -> tensor<2xf32>
				%4 = stablehlo.add %3, %x : tensor<2xf32>
				return %4 : tensor<2xf32>
			}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, library := range []*mlir.Library{mlirtest.Library(t), mlirtest.Jaxlib(t)} {
				got := runOn(t, library, tc.text, array(t, []float32{1, 2}, 2))
				want := []tensor.View{array(t, []float32{2, 4}, 2)}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestDivided refuses what several devices compute, and says so.
func TestDivided(t *testing.T) {
	groups := "replica_groups = " +
		`#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>`
	gather := func(results string) string {
		return `func.func @main(%x: tensor<1xf32>) -> tensor<` + results + `xf32> {
			%0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, ` + groups + `}>
				: (tensor<1xf32>) -> tensor<` + results + `xf32>
			return %0 : tensor<` + results + `xf32>
		}`
	}
	got := runOn(t, mlirtest.Library(t), `sdy.mesh @mesh = <["x"=1]> `+gather("1"), array(t, []float32{3}, 1))
	check.Diff(t, "one device", []tensor.View{array(t, []float32{3}, 1)}, got)
	two := mlirtest.Parse(t, mlirtest.Context(t), `sdy.mesh @mesh = <["x"=2]> `+gather("2"))
	_, err := jit.Compile(t.Context(), two, jit.Options{})
	check.Error(t, err, "stablehlo.all_gather at ", "several devices")
	const manual = `sdy.mesh @mesh = <["x"=2]>
		func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
			%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
				manual_axes={"x"} (%y: tensor<1xf32>) {
				sdy.return %y : tensor<1xf32>
			} : (tensor<2xf32>) -> tensor<2xf32>
			return %0 : tensor<2xf32>
		}`
	for _, library := range []*mlir.Library{mlirtest.Library(t), mlirtest.Jaxlib(t)} {
		_, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.ContextOf(t, library), manual), jit.Options{})
		check.Error(t, err, "sdy.manual_computation at ", "several devices")
	}
}
