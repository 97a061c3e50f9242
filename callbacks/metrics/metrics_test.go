package metrics_test

import (
	"encoding/json"
	"errors"
	"expvar"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/metrics"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestPublish(t *testing.T) {
	const variable = "calliope.callbacks"
	published := func() []metrics.Counters {
		t.Helper()
		var all []metrics.Counters
		check.NoError(t, json.Unmarshal([]byte(expvar.Get(variable).String()), &all))
		return slices.DeleteFunc(all, func(c metrics.Counters) bool { return c.Registry != t.Name() })
	}
	if expvar.Get(variable) == nil { // with -count it is there
		check.NoError(t, metrics.Publish(variable))
	}
	if err := metrics.Publish(variable); err == nil {
		t.Error("it is published twice")
	}
	if err := metrics.Publish(""); err == nil {
		t.Error("it has no name")
	}

	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()
	if d := cmp.Diff([]metrics.Counters{}, published()); d != "" {
		t.Errorf("before any call (-want +got):\n%s", d)
	}
	calls := 0
	fn := func(*callbacks.Frame) error {
		if calls++; calls > 2 {
			return errors.New("enough")
		}
		return nil
	}
	check.NoError(t, registry.Register("f", fn, callbacks.Options{Measure: true}))
	config := contract.Config{Form: contract.Call, Callback: "f", Registry: t.Name()}
	slot, err := dispatch.Resolve(config)
	check.NoError(t, err)
	defer slot.Close()
	for i := range 3 {
		if err := dispatchtest.Invoke(slot, nil, &callbacks.Frame{Name: "f", Config: config}); (err != nil) !=
			(i == 2) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	got := published()
	if len(got) != 1 {
		t.Fatalf("published is %v", got)
	}
	if got[0].Seconds < got[0].Longest || got[0].Longest <= 0 {
		t.Errorf("three calls took %v s, the longest %v s", got[0].Seconds, got[0].Longest)
	}
	got[0].Seconds, got[0].Longest = 0, 0
	want := metrics.Counters{Registry: t.Name(), Callback: "f", Fired: 3, Delivered: 2, Failed: 1, Measured: 3}
	if d := cmp.Diff(want, got[0]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
