package preflight_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestNoTrace checks that Check does not call or bind functions: the counters have the same
// callbacks as before, and checked modules do not keep them.
func TestNoTrace(t *testing.T) {
	registry, err := callbacks.NewRegistry("traced", callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()
	called := func(*callbacks.Frame) error { t.Error("called"); return nil }
	for name, o := range map[string]callbacks.Options{
		"inline": {}, "goroutine": {Dispatch: callbacks.Goroutine}, "deferred": {Dispatch: callbacks.Deferred},
	} {
		check.NoError(t, registry.Register(name, called, o))
	}
	check.NoError(t, registry.Register("async", called, callbacks.Options{Dispatch: callbacks.Async}))
	id, err := callbacks.Default.RegisterFunc(called, callbacks.Options{})
	check.NoError(t, err)
	defer callbacks.Default.UnregisterID(id)
	opaque := callbacks.OpaqueID{ID: "traced"}
	check.NoError(t, callbacks.RegisterOpaque(opaque, called, callbacks.Options{}))
	defer callbacks.UnregisterOpaque(opaque)

	var b strings.Builder
	b.WriteString("func.func @main(%x: tensor<4xf32>, %u: tensor<3xui8>, %i: tensor<i64>) {\n")
	call := func(target, operands, config, types string) {
		fmt.Fprintf(&b, "  stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = true%s} : %s\n",
			target, operands, config, types)
	}
	const one = "(tensor<4xf32>) -> tensor<4xf32>"
	for _, name := range []string{"inline", "goroutine", "deferred"} {
		call("calliope_runtime_call", "%x", fmt.Sprintf(
			`, backend_config = {v = 1 : i64, form = "call", callback = %q, registry = "traced"}`, name), one)
	}
	call("calliope_io_callback", "%x",
		`, backend_config = {v = 1 : i64, form = "observe", callback = "async", registry = "traced"}`, "(tensor<4xf32>) -> ()")
	call("calliope_io_callback", "%x",
		`, backend_config = {v = 1 : i64, form = "observe", callback = "nobody", optional = true}`,
		"(tensor<4xf32>) -> ()")
	call("calliope_io_callback", "%x", `, backend_config = {v = 1 : i64, form = "observe", callback = "nobody", optional = true, registry = "no such registry"}`, "(tensor<4xf32>) -> ()")
	call("calliope_runtime_call", "%x",
		fmt.Sprintf(`, backend_config = {v = 1 : i64, form = "call", callback_id = %d : i64}`, id), one)
	const words = `, backend_config = {callback_id = array<i64: 110386621805172>, callback_id_size = 6 : ui64`
	call("exla_runtime_callback", "%x", words+"}", one)
	call("exla_runtime_callback", "%u, %x", words+", num_aliased_data_outputs = 0 : ui64}",
		"(tensor<3xui8>, tensor<4xf32>) -> tensor<4xf32>")
	call("exla_elixir_callback", "%x, %i", "", "(tensor<4xf32>, tensor<i64>) -> tensor<4xf32>")
	b.WriteString("  return\n}")
	m := parse(t, b.String())

	stats, queues := callbacks.Stats(), callbacks.QueueStates()
	for range 3 {
		check.NoError(t, preflight.Check(m, preflight.Options{}))
		if waits := preflight.Waits(m, preflight.Options{}); len(waits) != 1 || waits[0].Callback != "deferred" {
			t.Errorf("waits: %v", waits)
		}
	}
	if diff := cmp.Diff(stats, callbacks.Stats()); diff != "" {
		t.Errorf("the check shows in the counters (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(queues, callbacks.QueueStates()); diff != "" {
		t.Errorf("the check shows in the queues (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff([]callbacks.Stat{}, registry.Stats()); diff != "" {
		t.Errorf("the registry has counters (-want +got):\n%s", diff)
	}
}
