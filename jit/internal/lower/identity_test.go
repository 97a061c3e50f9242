package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestIdentity has operations that change nothing on one device.
func TestIdentity(t *testing.T) {
	x := tensor.Vector[float32](1, 2)
	for _, p := range []program{
		{name: "sharding", text: `
			%r = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`},
		{name: "memory", text: `
			%r = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true,
				mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<2xf32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`},
		{name: "barrier and tuple", text: `
			%a:2 = stablehlo.optimization_barrier %x, %x : tensor<2xf32>, tensor<2xf32>
			%b = stablehlo.tuple %a#0, %a#1 : tuple<tensor<2xf32>, tensor<2xf32>>
			%r = stablehlo.get_tuple_element %b[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
			return %r : tensor<2xf32>`},
		{name: "sum of one device", text: `
			%r = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
				^bb0(%a: tensor<f32>, %b: tensor<f32>):
					%s = stablehlo.add %a, %b : tensor<f32>
					stablehlo.return %s : tensor<f32>
			}) : (tensor<2xf32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`},
		{name: "terminator of StableHLO", text: `
			"stablehlo.return"(%x) : (tensor<2xf32>) -> ()`},
	} {
		t.Run(p.name, func(t *testing.T) {
			p.text, p.inputs = function("%x: tensor<2xf32>", "tensor<2xf32>", p.text), []tensor.View{x}
			got, want := p.run(t, mlirtest.Parse(t, mlirtest.Context(t), p.text))
			check.Diff(t, "results", want, got)
		})
	}
}

// TestRefused holds that an error names the operation, where it is, and what to do.
func TestRefused(t *testing.T) {
	tests := []struct {
		name, text string
		says       []string
	}{
		{"outfeed", `
			%t = stablehlo.create_token : !stablehlo.token
			%u = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
			return %x : tensor<2xf32>`, []string{"stablehlo.outfeed", "test.mlir:4", "mlir-lint -fix"}},
		{"target", `
			%r = stablehlo.custom_call @nosuch(%x) : (tensor<2xf32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`, []string{"test.mlir:3", `"nosuch"`, "register"}},
		{"devices", `
			%r = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> :
				(tensor<2xf32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`, []string{"stablehlo.collective_broadcast", "several devices"}},
		{"dimensions", `
			%i = stablehlo.constant dense<0> : tensor<2xi32>
			%r = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 5 : i64, dim = 0 : i64}> :
				(tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
			return %r : tensor<2xf32>`, []string{"stablehlo.torch_index_select", "test.mlir:4", "do not fit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t), function("%x: tensor<2xf32>", "tensor<2xf32>", tt.text))
			_, err := jit.Compile(t.Context(), m, jit.Options{})
			check.Error(t, err, tt.says...)
			refusal, ok := errors.AsType[*jit.UnsupportedError](err)
			if !ok || len(refusal.Operations) == 0 || !strings.Contains(err.Error(), refusal.Operations[0].String()) {
				t.Errorf("%#v does not name the operation of %v", refusal, err)
			}
		})
	}
}
