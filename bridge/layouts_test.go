package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// layoutModule returns a module with a callback between a parameter and a result, both
// matrices. The arguments are inserted as their attributes.
func layoutModule(name, target, call, param, result string) string {
	const typ = "tensor<2x3xf32>"
	return mainFunc("%x: "+typ+param, typ+result, fmt.Sprintf(
		"%%p = stablehlo.custom_call @%s(%%x) {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = %q, callback = %q}%s} : (%s) -> %s loc(\"model.py\":7:1)\nreturn %%p : %s",
		target, contract.Call, name, call, typ, typ, typ))
}

// XLA passes arrays in the layout that the module requests, without telling the handler.
func TestLayouts(t *testing.T) {
	check.NoError(t, testPlugin(t).registerTarget("my_call"))
	c := testClient(t)
	layouts := func(operand, result string) string {
		return fmt.Sprintf(", operand_layouts = [dense<[%s]> : tensor<2xindex>], result_layouts = [dense<[%s]> : tensor<2xindex>]", operand, result)
	}
	const mode, rows, columns = ` {mhlo.layout_mode = "{0,1}"}`, "1, 0", "0, 1"
	for name, test := range map[string]struct {
		target, call, param, result string
		want                        string // "" if the module runs
	}{
		"none":      {},
		"row-major": {call: layouts(rows, rows)},
		"operand":   {call: layouts(columns, rows), want: "operand 0 of the call of @calliope_runtime_call with"},
		"result":    {call: layouts(rows, columns), want: "result 0 of the call of @calliope_runtime_call with"},
		"own target": {target: "my_call", call: layouts(columns, columns),
			want: "operand 0 of the call of @my_call with"},
		"parameter": {param: mode, want: "parameter 0 of the module, f32[2,3], has the layout [0 1]"},
		// XLA assigns it to the call
		"module's end": {result: mode, want: "result 0 of the call of @calliope_runtime_call with"},
	} {
		t.Run(name, func(t *testing.T) {
			var saw []float32
			callback := register(t, "", func(call *callbacks.Frame) error {
				for i := range 6 {
					saw = append(saw, call.Args[0].At(i).(float32))
				}
				copy(call.Results[0].Data, call.Args[0].Data)
				return nil
			})
			target := contract.TargetRuntimeCall
			if test.target != "" {
				target = test.target
			}
			e, err := c.Compile(t.Context(), Source(layoutModule(callback, target, test.call, test.param, test.result)),
				engine.CompileOptions{})
			if test.want != "" {
				if err == nil {
					e.Close()
				}
				layout, ok := errors.AsType[*LayoutError](err)
				if !ok || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "row-major") {
					t.Fatalf("the error is %v, want a LayoutError with %q", err, test.want)
				}
				if layout.Target != "" &&
					(!strings.Contains(err.Error(), callback) || !strings.Contains(err.Error(), "model.py:7")) {
					t.Errorf("%v does not name the callback and its place", err)
				}
				return
			}
			check.NoError(t, err)
			defer e.Close()
			want := []float32{1, 2, 3, 4, 5, 6}
			out, err := e.Run(t.Context(), view(t, want, 2, 3))
			check.NoError(t, err)
			check.Diff(t, "operand", want, saw)
			check.Diff(t, "result", want, host[float32](t, out[0]))
		})
	}
}

// Handlers of other libraries may read other layouts.
func TestLayoutsOfOthers(t *testing.T) {
	const target = "calliope_boot" // a handler that the bridge registers and that is not called
	m := layoutModule("x", target, ", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]", "", "")
	compile(t, testClient(t), m, engine.CompileOptions{})
}
