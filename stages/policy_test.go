package stages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// pureCall returns a module with a pure callback of one array.
func pureCall(t *testing.T, name string, elements int) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, elements))
	f.Return(builder.PureCall(f.Param(0), f.Param(0), builder.Callback{Name: name}))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

// TestCheapest checks decisions by bytes and times that differ by orders of magnitude.
func TestCheapest(t *testing.T) {
	const small, large = 4, 1 << 28
	register(t, "quick", double, callbacks.Options{Measure: true})
	register(t, "slow", func(f *callbacks.Frame) error { time.Sleep(time.Millisecond); return double(f) },
		callbacks.Options{Measure: true})
	register(t, "unknown", double, callbacks.Options{})
	client, interpreter := stages.On(newClient(t).Engine()), []stages.Device{stages.Interpreter()}
	for _, name := range []string{"quick", "slow"} {
		e, err := stages.Compile(t.Context(), pureCall(t, name, small),
			stages.Options{Devices: client, Strategy: stages.Cheapest})
		check.NoError(t, err)
		_, err = e.Call(t.Context(), floats(1, 2, 3, 4))
		check.NoError(t, err)
		check.NoError(t, e.Close())
	}
	twice := func(args []builder.Value) []builder.Value { return []builder.Value{builder.Add(args[0], args[0])} }
	for _, test := range []struct {
		name     string
		elements int
		device   []stages.Device
		lower    bool
		force    stages.Decision
		want     stages.Decision
	}{
		{"quick", large, client, true, stages.Default, stages.Inline},
		{"quick", large, client, true, stages.Boundary, stages.Boundary},
		{"quick", large, interpreter, true, stages.Default, stages.Boundary}, // the interpreter would take a minute
		{"slow", small, client, true, stages.Default, stages.Lower},
		{"slow", small, client, false, stages.Default, stages.Inline},
		{"slow", small, nil, true, stages.Default, stages.Lower},
		{"slow", small, nil, false, stages.Default, stages.Boundary},
		{"unknown", large, client, true, stages.Default, stages.Lower},
		{"unknown", large, client, true, stages.Inline, stages.Inline},
		{"unknown", large, client, false, stages.Default, stages.Inline},
		{"unknown", small, nil, false, stages.Default, stages.Boundary},
	} {
		o := stages.Options{Devices: test.device, Strategy: stages.Cheapest}
		if test.lower {
			o.Lower = map[string]stages.Lowering{test.name: twice}
		}
		if test.force != stages.Default {
			o.Force = map[string]stages.Decision{test.name: test.force}
		}
		plan, err := stages.Cut(pureCall(t, test.name, test.elements), o)
		check.NoError(t, err)
		what := fmt.Sprint(test.name, test.elements, test.device, test.lower, test.force)
		cb := plan.Callbacks()[0]
		check.Diff(t, what, test.want, cb.Decision)
		reason := "cheapest: "
		if test.force != stages.Default {
			reason = "Options.Force"
		}
		if !strings.HasPrefix(cb.Reason, reason) ||
			strings.Contains(cb.Reason, "unmeasured") != (test.name == "unknown" && test.force == stages.Default) {
			t.Errorf("%s: the reason is %q", what, cb.Reason)
		}
		if !strings.Contains(plan.Explain(), cb.Reason) {
			t.Errorf("%s: Explain lacks the reason:\n%s", what, plan.Explain())
		}
		check.NoError(t, plan.Close())
	}
	_, err := stages.Cut(pureCall(t, "quick", small), stages.Options{Strategy: 7})
	check.Error(t, err, "Options.Strategy is Strategy(7), which is no strategy: use ByDevice or Cheapest")
}
