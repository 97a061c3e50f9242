package order_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes/order"
)

func TestLoose(t *testing.T) {
	const (
		tap     = `stablehlo.custom_call @calliope_io_callback() {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "see"}} : () -> ()`
		other   = `stablehlo.custom_call @calliope_io_callback() {api_version = 4 : i32, has_side_effect = true, backend_config = {v = 1 : i64, form = "observe", callback = "see", registry = "other"}} : () -> ()`
		threads = ` = stablehlo.custom_call @bare(%u) {has_side_effect = true} : (!t) -> !t`
		jax     = `stablehlo.custom_call @xla_ffi_python_cpu_callback() {has_side_effect = true} : () -> ()`
		ordered = ` = stablehlo.custom_call @xla_ffi_python_cpu_callback(%u) {has_side_effect = true} : (!t) -> !t`
	)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"after one with a token", "%1 = see.a(%t)\n" + tap, []string{"2-3"}},
		{"before one", tap + "\n%1 = see.a(%t)\n%2 = see.a(%t)", []string{"3-2"}},
		{"none with a token", tap + "\n" + tap, nil},
		{"another registry", "%1 = see.a(%t)\n" + other, nil},
		{"another target", "%1" + threads + "\nBARE\nBARE", []string{"2-3", "2-4"}},
		{"JAX's callbacks", "%1" + ordered + "\n" + jax, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.Context(t),
				written("func.func @main(%t: T1, %u: !t) {\n"+test.text+"\nreturn }"))
			check.Diff(t, "pairs", test.want, pairsOf(order.Result{Pairs: order.Loose(m, nil)}))
		})
	}
}
