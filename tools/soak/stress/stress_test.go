package stress

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin) }

func testPlugin(t *testing.T) *bridge.Plugin {
	t.Helper()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	return plugin
}

// A short stress with few processors and with many. The tool does this in separate
// processes, and for longer.
func TestRun(t *testing.T) {
	plugin := testPlugin(t)
	for _, procs := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			result, err := Run(t.Context(), plugin, Options{For: 500 * time.Millisecond, Registries: 1})
			check.NoError(t, err)
			if result.Calls == 0 || result.Actions[runSteady] == 0 || len(result.Stats) != len(load.Ways) {
				t.Errorf("nothing was done:\n%s", result)
			}
		})
	}
}

// Each action does what its name says, whatever the random choice.
func TestActions(t *testing.T) {
	s, err := newStress(t.Context(), testPlugin(t), Options{Registries: 1, Devices: 2})
	check.NoError(t, err)
	for a := range numActions {
		t.Run(actionNames[a], func(t *testing.T) {
			r := newRand(int(a))
			for range 5 {
				check.NoError(t, s.act(t.Context(), a, r))
			}
		})
	}
	check.Report(t, errors.Join(s.settle(&Result{}), s.close()))
}

// Counts that disagree are reported.
func TestCounts(t *testing.T) {
	c := &counted{name: "f"}
	c.calls.Store(5)
	c.fired.Store(5)
	c.sum.Store(10)
	c.carry.Store(10)
	good := callbacks.Stat{Callback: "f", Fired: 5, Delivered: 5}
	check.Report(t, errors.Join(c.exact(good), c.plausible(good)))
	for want, bad := range map[string]callbacks.Stat{
		"disagree":           {Fired: 6, Delivered: 5},
		"made 5 calls":       {Fired: 4, Delivered: 4},
		"was called 5 times": {Fired: 6, Delivered: 6},
	} {
		if err := c.plausible(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q in it", bad, err, want)
		}
		if c.exact(bad) == nil {
			t.Errorf("%+v is exact", bad)
		}
	}
	c.sum.Add(1)
	check.Error(t, c.exact(good), "carried 11")
}

func TestOptions(t *testing.T) {
	for _, bad := range []Options{{For: -1}, {Goroutines: -1}, {Registries: -1}, {Devices: -1}} {
		if _, err := Run(t.Context(), nil, bad); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}
