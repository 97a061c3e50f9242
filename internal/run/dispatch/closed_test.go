package dispatch_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Nothing keeps a call site that is closed, with the copies of its arrays, whatever became of its calls.
func TestClosedSitesAreFreed(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "timed out": true} {
		t.Run(name, func(t *testing.T) {
			leave, left := make(chan struct{}), make(chan struct{})
			limit := time.Minute
			if late {
				limit = short
			} else {
				close(leave)
			}
			registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
			check.NoError(t, err)
			t.Cleanup(func() { check.NoError(t, registry.Close()) })
			id, err := registry.RegisterFunc(func(*callbacks.Frame) error {
				defer close(left)
				<-leave
				return nil
			}, callbacks.Options{Timeout: limit})
			check.NoError(t, err)
			config := contract.Config{Form: contract.Call, ID: id, Registry: registry.Name()}
			s, err := dispatch.Resolve(config)
			check.NoError(t, err)
			err = invoke(s, frame(nil, contract.Call, 1))
			s.Close()
			if late {
				check.As[*callbacks.TimeoutError](t, err)
				close(leave)
			} else {
				check.NoError(t, err)
			}
			<-left
			kept := weak.Make(s)
			s = nil
			for end := time.Now().Add(time.Minute); kept.Value() != nil; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the call site is kept")
				}
				runtime.GC()
			}
			check.Diff(t, "counted", 1, len(registry.Stats()))
			check.NoError(t, registry.UnregisterID(id))
			check.Diff(t, "counted after the end of the callback", 0, len(registry.Stats()))
		})
	}
}

// The counters of a callback end when it is unregistered and its call sites are closed, in either order.
func TestStatsEnd(t *testing.T) {
	r, s := bound(t, contract.Call, callbacks.RegistryOptions{}, callbacks.Options{},
		func(*callbacks.Frame) error { return nil })
	names := func() (list []string) {
		for _, s := range r.Stats() {
			list = append(list, s.Callback)
		}
		return list
	}
	silent, err := dispatch.Resolve(
		contract.Config{Form: contract.Observe, Callback: "nobody", Registry: r.Name(), Optional: true})
	check.NoError(t, err)
	check.NoError(t, invoke(silent, frame(nil, contract.Observe, 1)))
	check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
	check.NoError(t, r.Unregister("f"))
	check.Diff(t, "while the sites are open", []string{"f", "nobody"}, names())
	silent.Close()
	s.Close()
	check.Diff(t, "afterwards", []string(nil), names())

	nothing := func(*callbacks.Frame) error { return nil }
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	s = resolve(t, r, contract.Call)
	check.NoError(t, invoke(s, frame(nil, contract.Call, 1)))
	check.NoError(t, r.Unregister("f"))
	check.NoError(t, r.Register("f", nothing, callbacks.Options{}))
	check.NoError(t, invoke(s, frame(nil, contract.Call, 1))) // it calls the new function
	s.Close()
	check.Diff(t, "registered again", []callbacks.Stat{{Callback: "f", Registry: r.Name(), Fired: 2, Delivered: 2}},
		r.Stats())
	check.NoError(t, r.Unregister("f"))
	check.Diff(t, "unregistered again", []string(nil), names())
}
