package preflight_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { nativetest.Main(m) }

func parse(t *testing.T, text string) *mlir.Module {
	t.Helper()
	ir := mlirtest.ContextOf(t, mlirtest.LibraryFor(t, []byte(text)))
	m, err := ir.Parse("", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// compile compiles for four devices.
func compile(t *testing.T, text string, o engine.CompileOptions) error {
	t.Helper()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 4})
	check.NoError(t, err)
	defer client.Close()
	executable, err := client.Compile(t.Context(), bridge.Source(text), o)
	if err != nil {
		return err
	}
	return executable.Close()
}
