package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin) }

// A short soak in each mode; the tool makes ten million calls.
func TestRun(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	for _, mode := range Modes() {
		t.Run(mode, func(t *testing.T) {
			const calls = 20_000
			result, err := Run(t.Context(), plugin, Options{Calls: calls, Devices: 2, Goroutines: 4, Mode: mode})
			check.NoError(t, err)
			if n := result.Calls(); n < calls {
				t.Errorf("%d calls were made, want %d and those that fail", n, calls)
			}
			failed := int64(0)
			for _, c := range result.Counts {
				failed += c.Stat.Failed
			}
			if failed == 0 {
				t.Error("no call failed on purpose")
			}
		})
	}
}

func TestOptions(t *testing.T) {
	good := Options{Calls: 1, Devices: 1, Goroutines: 1, Mode: Mixed}
	check.Report(t, good.Check())
	for _, change := range []func(*Options){
		func(o *Options) { o.Calls = 0 }, func(o *Options) { o.Devices = -1 },
		func(o *Options) { o.Goroutines = 0 }, func(o *Options) { o.Mode = "telepathy" },
	} {
		bad := good
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

// Counts that disagree are reported.
func TestCheck(t *testing.T) {
	good := Count{Stat: callbacks.Stat{Callback: "f", Fired: 10, Delivered: 7, Dropped: 2, Failed: 1}, Fired: 10,
		Dropped: 2, Failed: 1, Called: 8, Sum: 5, WantSum: 5}
	check.Report(t, good.check())
	for want, change := range map[string]func(*Count){
		"counted are":  func(c *Count) { c.Fired++ },
		"called 9":     func(c *Count) { c.Called++ },
		"carried 6":    func(c *Count) { c.Sum++ },
		"InFlight:1":   func(c *Count) { c.Stat.InFlight = 1 },
		"Delivered:99": func(c *Count) { c.Stat.Delivered = 99 },
	} {
		bad := good
		change(&bad)
		check.Error(t, bad.check(), want)
	}
}

func TestMemoryBound(t *testing.T) {
	flat := make([]Memory, 100)
	for i := range flat {
		flat[i] = Memory{100 << 20, 10 << 20}
	}
	check.Report(t, CheckFlat(flat))
	for what, grow := range map[string]func(m *Memory, i int){
		"process": func(m *Memory, i int) { m.Resident += int64(i) << 19 },
		"Go heap": func(m *Memory, i int) { m.Heap += int64(i) << 17 },
	} {
		growing := append([]Memory{}, flat...)
		for i := range growing {
			grow(&growing[i], i)
		}
		check.Error(t, CheckFlat(growing), what)
		if err := CheckHeap(growing); (err != nil) != (what == "Go heap") {
			t.Errorf("the heap alone, when the %s grows: %v", what, err)
		}
	}
	if err := CheckFlat(flat[:2]); err != nil {
		t.Error("of two samples: ", err)
	}
}

func TestRunEndsWithTheContext(t *testing.T) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(ctx, plugin, Options{Calls: 1000, Devices: 1, Goroutines: 2, Mode: Mixed})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What is not in use any more is not counted, also if it was allocated after the collection.
func TestHeapInUse(t *testing.T) {
	var m Samples
	m.Take()
	before := m.All()[0].Heap
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					garbage.Store(new([1 << 16]byte))
				}
			}
		})
	}
	for range 20 {
		m.Take()
	}
	close(stop)
	wait.Wait()
	if got := highest(m.All()).Heap - before; got > heapBound {
		t.Errorf("%.1f MiB more are in use", mib(got))
	}
}

var garbage atomic.Pointer[[1 << 16]byte]
