package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestPartitionedCallbacksOfJAX runs a callback that each device calls with its part, which XLA
// compiles only in a manual computation.
func TestPartitionedCallbacksOfJAX(t *testing.T) {
	text := check.Must(os.ReadFile(filepath.Join("..", "bridge", "testdata", "jax", "sharded_debug_partitioned.mlir")))
	m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Jaxlib(t)), string(text))
	d := &deviceCalls{}
	names := []string{d.register(t, "seen")}
	client := check.Must(check.Must(bridge.Open(bridge.OpenOptions{})).NewClient(bridge.ClientOptions{Devices: 4}))
	check.Cleanup(t, client)
	options := engine.CompileOptions{Partitions: 4, JAXCallbacks: names}
	_, err := client.Compile(t.Context(), stablehlo.Unprepared(m), options)
	check.Error(t, err, "xla_ffi_partitioned_python_cpu_callback")
	check.Error(t, preflight.Check(m, preflight.Options{Partitions: 4, JAXCallbacks: names}),
		"apply passes.ApplyPolicies to the module")
	check.Must(passes.ApplyPolicies(m))
	check.NoError(t, preflight.Check(m, preflight.Options{Partitions: 4, JAXCallbacks: names}))
	e, err := client.Compile(t.Context(), stablehlo.Unprepared(m), options)
	check.NoError(t, err)
	check.Cleanup(t, e)
	var inputs []engine.Input
	var want []deviceCall
	var plus []float32
	for device := range 4 {
		part := []float32{float32(2 * device), float32(2*device + 1)}
		v := check.Must(tensor.FromSlice(part, 2))
		inputs = append(inputs, v)
		want = append(want, deviceCall{device, v.String() + ";"})
		plus = append(plus, part[0]+1, part[1]+1)
	}
	out, err := e.Run(t.Context(), inputs...)
	check.NoError(t, err)
	var got []float32
	for _, b := range out {
		got = append(got, check.Must(tensor.Slice[float32](check.Must(b.ToHost(t.Context()))))...)
		check.NoError(t, b.Close())
	}
	check.Diff(t, "results", plus, got)
	slices.SortFunc(d.calls, func(a, b deviceCall) int { return strings.Compare(a.Args, b.Args) })
	check.Diff(t, "calls", want, d.calls)
}
