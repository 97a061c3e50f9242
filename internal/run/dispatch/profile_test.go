package dispatch_test

import (
	"bytes"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Profiles show which callback a goroutine is in, where that is asked for, and not which
// it was in before.
func TestProfile(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		for _, on := range []bool{false, true} {
			labels := func() string {
				var b bytes.Buffer
				check.NoError(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
				return b.String()
			}
			var inside string
			t.Run(way.String(), func(t *testing.T) {
				r, s := bound(t, contract.Call, callbacks.RegistryOptions{Profile: on},
					callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error {
						inside = labels()
						return nil
					})
				check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
				want := `"callback":"f", "registry":"` + r.Name() + `"`
				check.Diff(t, "labels inside", on, strings.Contains(inside, want))
				check.Diff(t, "labels after", false, strings.Contains(labels(), want))
			})
		}
	}
}

// While a trace is taken it has a region for each call.
func TestTraceRegions(t *testing.T) {
	if trace.IsEnabled() {
		t.Fatal("a trace is taken already: leave -trace out")
	}
	var b bytes.Buffer
	check.NoError(t, trace.Start(&b))
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine} {
		t.Run(way.String(), func(t *testing.T) {
			registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
			check.NoError(t, err)
			defer registry.Close()
			name := "traced " + way.String()
			check.NoError(t, registry.Register(name, double, callbacks.Options{Dispatch: way}))
			s, err := dispatch.ResolveIn(registry, contract.Config{Form: contract.Call, Callback: name})
			check.NoError(t, err)
			check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
		})
	}
	trace.Stop()
	for _, way := range []string{"inline", "goroutine"} {
		if !strings.Contains(b.String(), "callback traced "+way) {
			t.Errorf("the trace has no region of the %s callback", way)
		}
	}
}
