package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An error of a compile says what XLA does not know of the module: places, and types of calls.
func TestCompileErrors(t *testing.T) {
	check.NoError(t, callbacks.Default.Register("compile.errors", func(*callbacks.Frame) error { return nil },
		callbacks.Options{Signature: "f32[4]->f32[4]"}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister("compile.errors")) })
	client := newClient(t, 0)
	hash := contract.SignatureHash(contract.Signature([]tensor.Shape{tensor.ShapeOf(tensor.F32, 8)},
		[]tensor.Shape{tensor.ShapeOf(tensor.F32, 8)}))
	for _, test := range []struct{ name, call, want, ofSource string }{
		{
			"signature", `@calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "compile.errors", signature = "` + hash + `"}}`,
			`is registered with the signature f32[4]->f32[4], but the module calls it with f32[8]->f32[8]`,
			`is registered with the signature f32[4]->f32[4], but the module was built for another signature`,
		},
		{
			"target", `@caliope_runtime_call(%x) {api_version = 4 : i32}`,
			`no handler is registered for the custom call target "caliope_runtime_call" (called at -:2:8); is it "calliope_runtime_call"?`,
			`no handler is registered for the custom call target "caliope_runtime_call" (called at line 2); is it "calliope_runtime_call"?`,
		},
		{
			"untyped target", `@calliope_runtime_call(%x)`,
			`no handler is registered for the custom call target "calliope_runtime_call" (called at -:2:8): the registered one is of XLA's typed FFI: write api_version = 4`,
			`no handler is registered for the custom call target "calliope_runtime_call" (called at line 2): the registered one is of XLA's typed FFI: write api_version = 4`,
		},
		{
			"unlike any", `@my_kernel(%x) {api_version = 4 : i32}`,
			`no handler is registered for the custom call target "my_kernel" (called at -:2:8): register one by Plugin.RegisterForeign`,
			`no handler is registered for the custom call target "my_kernel" (called at line 2): register one by Plugin.RegisterForeign`,
		},
		{
			"untyped, unlike any", `@my_kernel(%x) {api_version = 2 : i32, backend_config = "a"}`,
			`target "my_kernel" (called at -:2:8): the call is not of XLA's typed FFI: rewrite it with passes.ReplaceLegacy`,
			`target "my_kernel" (called at line 2): the call is not of XLA's typed FFI: rewrite it with passes.ReplaceLegacy`,
		},
		{
			"JAX", `@xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, backend_config = {index = 0 : ui64}}`,
			`"xla_ffi_python_cpu_callback" (called at -:2:8): the module has callbacks of JAX: name those that serve them in CompileOptions.JAXCallbacks`,
			`"xla_ffi_python_cpu_callback" (called at line 2): the module has callbacks of JAX: name those that serve them in CompileOptions.JAXCallbacks`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo.custom_call " + test.call +
				" : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}"
			m, err := newContext(t).Parse("", []byte(text))
			check.NoError(t, err)
			check.Cleanup(t, m)
			for _, of := range []struct {
				program engine.Program
				want    string
			}{{stablehlo.Unprepared(m), test.want}, {bridge.Source(text), test.ofSource}} {
				_, err := client.Compile(t.Context(), of.program, engine.CompileOptions{})
				check.Error(t, err, of.want)
			}
		})
	}
}
