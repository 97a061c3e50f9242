package tests

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestTapInModuleOfJAX inserts taps into a GRU that JAX lowered, in the body of its scan
// and in a function that the body calls, runs it on XLA, and holds what the taps see
// against what the module returns: its first result is the last state, and its second
// the output of each turn.
func TestTapInModuleOfJAX(t *testing.T) {
	data, err := os.ReadFile("testdata/modules/scan_gru.mlir")
	check.NoError(t, err)
	m := parse(t, newContext(t), "scan_gru.mlir", data)
	turn := func(v mlir.Value) bool {
		return v.IsResult() && v.Owner().Name() == "func.call" && strings.Contains(v.Owner().String(), "@closed_call")
	}
	var order []string
	var states [][]float32
	var outputs []float32
	register := func(name string, fn func(c *callbacks.Frame) error) {
		t.Helper()
		check.NoError(t, callbacks.Default.Register(name, fn, callbacks.Options{}))
		t.Cleanup(func() { callbacks.Default.Unregister(name) })
	}
	register("turn", func(c *callbacks.Frame) error {
		values, err := tensor.Slice[float32](c.Args[0])
		if len(values) == 1 && c.Args[0].Shape.Rank() == 0 {
			order = append(order, "output")
			outputs = append(outputs, values[0])
		} else {
			order = append(order, "state")
			states = append(states, append([]float32(nil), values...))
		}
		return err
	})
	inside := 0
	register("inside", func(*callbacks.Frame) error { inside++; return nil })
	for _, tap := range []struct {
		name  string
		after func(mlir.Value) bool
		n     int
	}{{"turn", turn, 2}, {"inside", passes.ByOp("stablehlo.tanh"), 1}} {
		n, err := passes.InsertTap(m, tap.after, passes.TapOptions{Config: contract.Config{Callback: tap.name}})
		if n != tap.n || err != nil {
			t.Fatalf("%d taps of %s: %v", n, tap.name, err)
		}
	}
	e := compile(t, m)
	var in []engine.Input
	for _, dims := range [][]int{{7, 7}, {7, 7}, {5, 7}, {5, 7}, {7}, {9, 5}} {
		shape := tensor.ShapeOf(tensor.F32, dims...)
		values := make([]float32, shape.NumElements())
		for i := range values {
			values[i] = float32(i%11)/8 - 0.5
		}
		v, err := tensor.FromSlice(values, dims...)
		check.NoError(t, err)
		in = append(in, v)
	}
	buffers, err := e.Run(context.Background(), in...)
	check.NoError(t, err)
	results := toFloats(t, buffers)
	if diff := cmp.Diff(strings.Split(strings.Repeat("state output ", 9), " ")[:18], order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(results[0], states[len(states)-1]); diff != "" {
		t.Errorf("last state (-returned +tapped):\n%s", diff)
	}
	if diff := cmp.Diff(results[1], outputs); diff != "" {
		t.Errorf("outputs (-returned +tapped):\n%s", diff)
	}
	if inside != 9 {
		t.Errorf("the tap in the function was called %d times, want 9", inside)
	}
	if results[0][0] == 0 || results[0][0] == results[0][1] {
		t.Errorf("the module computes nothing: %v", results[0])
	}
}
