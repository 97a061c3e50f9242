package callbacks_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestOpaque(t *testing.T) {
	var called []string
	bind := func(o callbacks.OpaqueID, name string) {
		t.Helper()
		if err := callbacks.RegisterOpaque(o, func(*callbacks.Frame) error {
			called = append(called, name)
			return nil
		}, callbacks.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	one, anyServer := callbacks.OpaqueID{ID: "\x83m", Server: "pid 1"}, callbacks.OpaqueID{ID: "\x83m"}
	bind(one, "of pid 1")
	bind(anyServer, "of any")
	if err := callbacks.RegisterOpaque(one, func(*callbacks.Frame) error { return nil }, callbacks.Options{}); err ==
		nil {
		t.Error("an id was registered twice")
	}
	config := contract.Config{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: one.ID},
		Form: contract.Call}
	for _, server := range []string{"pid 1", "pid 2", ""} {
		config.Host.Server = server
		slot, err := dispatch.ResolveOpaque(config)
		check.NoError(t, err)
		check.Report(t, dispatchtest.Invoke(slot, nil, &callbacks.Frame{}))
	}
	if diff := cmp.Diff([]string{"of pid 1", "of any", "of any"}, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if !dispatch.HasOpaque(one.ID) || dispatch.HasOpaque("pid 1") {
		t.Error("HasOpaque is wrong")
	}
	for _, o := range []callbacks.OpaqueID{anyServer, one} {
		check.Report(t, callbacks.UnregisterOpaque(o))
	}
	var unknown *callbacks.UnknownError
	if err := callbacks.UnregisterOpaque(one); !errors.As(err, &unknown) {
		t.Errorf("unregistered twice: %v", err)
	}
	if _, err := dispatch.ResolveOpaque(config); !errors.As(err, &unknown) || unknown.Callback != "opaque id 836d" {
		t.Errorf("after UnregisterOpaque: %v", err)
	}
	if err := callbacks.RegisterOpaque(callbacks.OpaqueID{}, nil, callbacks.Options{}); err == nil {
		t.Error("an id without bytes was registered")
	}
	if err := callbacks.RegisterOpaque(one, nil, callbacks.Options{}); err == nil || dispatch.HasOpaque(one.ID) {
		t.Errorf("a nil function: %v", err)
	}
}

// TestOpaqueReleasedAlone holds that a function which two opaque ids are bound to is
// called by the one that is left only.
func TestOpaqueReleasedAlone(t *testing.T) {
	fn := func(*callbacks.Frame) error { return nil }
	slots := map[callbacks.OpaqueID]*dispatch.Slot{}
	gone, left := callbacks.OpaqueID{ID: "gone"}, callbacks.OpaqueID{ID: "left"}
	for _, o := range []callbacks.OpaqueID{gone, left} {
		check.NoError(t, callbacks.RegisterOpaque(o, fn, callbacks.Options{}))
		slot, err := dispatch.ResolveOpaque(
			contract.Config{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: o.ID}, Form: contract.Call})
		check.NoError(t, err)
		defer slot.Close()
		slots[o] = slot
	}
	check.NoError(t, callbacks.UnregisterOpaque(gone))
	var unknown *callbacks.UnknownError
	if err := dispatchtest.Invoke(slots[gone], nil, &callbacks.Frame{}); !errors.As(err, &unknown) {
		t.Errorf("a call of the unregistered id ends with %v", err)
	}
	check.NoError(t, dispatchtest.Invoke(slots[left], nil, &callbacks.Frame{}))
	check.NoError(t, callbacks.UnregisterOpaque(left))
}
