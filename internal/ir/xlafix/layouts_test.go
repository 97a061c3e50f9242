package xlafix_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

func TestConstrainLayouts(t *testing.T) {
	call := func(attributes, results string) string {
		return `stablehlo.custom_call @calliope_runtime_call(%x, %y) {api_version = 4 : i32, ` + attributes + `
    backend_config = {callback = "f", form = "call", v = 1 : i64}} : (tensor<2x3xf32>, tensor<f32>) -> ` + results
	}
	for _, test := range []struct {
		name, call string
		want       int
	}{
		{"a matrix and a vector", call("", "(tensor<2x3xf32>, tensor<4xf32>)"), 1},
		{"vectors", call("", "(tensor<2xf32>, tensor<4xf32>)"), 0},
		{"one matrix", call("", "tensor<2x3xf32>"), 0},
		{"layouts", call(`operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>],
      result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>],`, "(tensor<2x3xf32>, tensor<4xf32>)"), 0},
		{"another host",
			`stablehlo.custom_call @exla_runtime_callback(%x) {api_version = 4 : i32, backend_config = {callback_id = array<i64: 1>,
      callback_id_size = 1 : ui64, callback_server_pid = array<i64: 1>, callback_server_pid_size = 1 : ui64}}
      : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t),
				"func.func @main(%x: tensor<2x3xf32>, %y: tensor<f32>) -> tensor<f32> {\n"+test.call+
					"\nreturn %y : tensor<f32>\n}")
			n, err := xlafix.ConstrainLayouts(m)
			check.NoError(t, err)
			check.Diff(t, "calls", test.want, n)
			check.NoError(t, m.Verify())
			for call := range callop.Calls(m) {
				c, ok := stablehlo.AsCustomCall(call.Op)
				if test.want > 0 && (!ok || len(c.ResultLayouts) != 2) {
					t.Errorf("%s has no layouts", call.Op)
				}
				check.NoError(t, callop.CheckLayouts(c))
			}
		})
	}
}
