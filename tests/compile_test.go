package tests

import (
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// openClient opens the plugin and makes a client of so many devices, as many as the plugin
// likes where 0.
func openClient(devices int) (*bridge.Client, error) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return plugin.NewClient(bridge.ClientOptions{Devices: devices})
}

// newClient is openClient, and closes the client with the test.
func newClient(t *testing.T, devices int) *bridge.Client {
	t.Helper()
	client, err := openClient(devices)
	check.NoError(t, err)
	check.Cleanup(t, client)
	return client
}

// tryCompile compiles a module with a new client, and closes both with the test.
func tryCompile(t *testing.T, m *mlir.Module) (*bridge.Executable, error) {
	t.Helper()
	e, err := newClient(t, 0).Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), engine.CompileOptions{})
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	return e, nil
}

// compile is tryCompile, and stops the test where that fails.
func compile(t *testing.T, m *mlir.Module) *bridge.Executable {
	t.Helper()
	e, err := tryCompile(t, m)
	check.NoError(t, err)
	return e
}

// toHost copies results to the host and closes them.
func toHost(t *testing.T, buffers []*engine.Array) []tensor.View {
	t.Helper()
	var views []tensor.View
	for _, b := range buffers {
		v, err := b.ToHost(t.Context())
		check.NoError(t, err)
		views = append(views, v)
		check.Report(t, b.Close())
	}
	return views
}

// toFloats is toHost, as slices.
func toFloats(t *testing.T, buffers []*engine.Array) (results [][]float32) {
	t.Helper()
	for _, v := range toHost(t, buffers) {
		values, err := tensor.Slice[float32](v)
		check.NoError(t, err)
		results = append(results, values)
	}
	return results
}
