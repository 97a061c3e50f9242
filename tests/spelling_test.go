package tests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// TestSpellings holds what stablehlo.TypedConfig says of the spellings of a custom call against XLA, whose error about
// a target without a handler names the kind of handler.
func TestSpellings(t *testing.T) {
	client := check.Must(check.Must(bridge.Open(bridge.OpenOptions{})).NewClient(bridge.ClientOptions{}))
	check.Cleanup(t, client)
	const dictionary = "mhlo.backend_config = {a = 1 : i64}"
	for _, attributes := range []string{
		"", "api_version = 1 : i32", "api_version = 4 : i32",
		dictionary,
		"api_version = 1 : i32, " + dictionary,
		"api_version = 2 : i32, " + dictionary,
		"api_version = 4 : i32, " + dictionary,
		"api_version = 4 : i32, backend_config = {}, " + dictionary,
		`backend_config = "", ` + dictionary,
		`backend_config = "text", ` + dictionary,
		`mhlo.backend_config = 1 : i32`,
		`mhlo.backend_config = "text"`,
		`backend_config = "text", mhlo.backend_config = "text"`,
		`api_version = 2 : i32, mhlo.backend_config = "text"`,
	} {
		module := fmt.Sprintf(`func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {
  %%0 = stablehlo.custom_call @no.such.target(%%x) {%s} : (tensor<4xf32>) -> tensor<4xf32>
  return %%0 : tensor<4xf32>
}`, attributes)
		want := "No registered implementation for untyped custom call to no.such.target for "
		for op := range mlirtest.Parse(t, mlirtest.Context(t),
			module).Operation().Index().Named("stablehlo.custom_call") {
			if _, typed := stablehlo.TypedConfig(op); typed {
				want = "No FFI handler registered for no.such.target on "
			}
		}
		_, err := client.Compile(t.Context(), bridge.Source(module), engine.CompileOptions{})
		if refused, ok := errors.AsType[*bridge.PluginError](err); !ok || !strings.Contains(refused.Message, want) {
			t.Errorf("%s: the error is %v, and XLA's should have %q", attributes, err, want)
		}
	}
}
