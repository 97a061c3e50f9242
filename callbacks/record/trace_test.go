package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/dispatch/dispatchtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// event is what these tests read of a trace.
type event struct {
	Name, Ph string
	Pid, Tid int
	Ts, Dur  float64
	Args     map[string]any
}

func events(t *testing.T, data []byte) []event {
	t.Helper()
	var list []event
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return list
}

// tracks are the calls and runs of a trace by the name of their track, and a test that
// none overlap in one.
func tracks(t *testing.T, list []event) map[string][]string {
	t.Helper()
	groups, names := map[int]string{}, map[[2]int]string{}
	spans := map[string][]event{}
	for _, e := range list {
		switch {
		case e.Name == "process_name":
			groups[e.Pid] = e.Args["name"].(string)
		case e.Name == "thread_name":
			names[[2]int{e.Pid, e.Tid}] = e.Args["name"].(string)
		case e.Ph == "X":
			name := groups[e.Pid] + "/" + names[[2]int{e.Pid, e.Tid}]
			spans[name] = append(spans[name], e)
		}
	}
	found := map[string][]string{}
	for name, list := range spans {
		slices.SortStableFunc(list, func(a, b event) int { return int(1000 * (a.Ts - b.Ts)) })
		for i, e := range list {
			found[name] = append(found[name], e.Name)
			if i > 0 && list[i-1].Ts+list[i-1].Dur > e.Ts+1e-6 {
				t.Errorf("in %s %v overlaps %v", name, list[i-1], e)
			}
		}
	}
	return found
}

// program calls two callbacks on two devices in two runs; two of the calls overlap.
func program(t *testing.T, wrap callbacks.Middleware) {
	var second sync.WaitGroup
	begun, go1 := make(chan bool), make(chan bool)
	slow := wrap(func(*callbacks.Frame) error { close(begun); <-go1; return nil })
	fn := wrap(double)
	second.Go(func() {
		if _, err := call(slow, configOf("slow", 0), 0, 1, 1); err != nil {
			t.Error(err)
		}
	})
	<-begun
	if _, err := call(fn, configOf("double", 0), 0, 1, 1); err != nil {
		t.Error(err)
	}
	close(go1)
	second.Wait()
	if _, err := call(fn, configOf("double", 0), 1, 2, -1); err == nil {
		t.Error("it does not fail")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = call(wrap(func(*callbacks.Frame) error { panic(1) }), configOf("p\xff", 0), 1, 2, 0)
	}()
}

var wantTracks = map[string][]string{
	"runs/runs":            {"run 1", "run 2"},
	"devices/device 0":     {"slow"},
	"devices/device 0 (2)": {"double"},
	"devices/device 1":     {"double", "p\ufffd"},
	"callbacks/slow":       {"slow"},
	"callbacks/double":     {"double", "double"},
	"callbacks/p\ufffd":    {"p\ufffd"},
}

func TestTraceLive(t *testing.T) {
	var b bytes.Buffer
	tracer, err := record.NewTracer(&b)
	check.NoError(t, err)
	program(t, tracer.Wrap)
	before := bytes.Clone(b.Bytes())
	check.NoError(t, tracer.Close())
	list := events(t, b.Bytes())
	check.Diff(t, "tracks", wantTracks, tracks(t, list))
	i := slices.IndexFunc(list, func(e event) bool { return e.Args["error"] == "-1 is negative" })
	check.Diff(t, "arguments", map[string]any{"run": 2.0, "device": 1.0, "arguments": []any{"f32[1]"},
		"error": "-1 is negative"}, list[i].Args)
	// What a process that died left is whole but for its end.
	events(t, append(before, ']'))

	check.Report(t, tracer.Close())
	n := b.Len()
	if _, err := call(tracer.Wrap(double), configOf("late", 0), 0, 3, 1); err != nil || b.Len() != n {
		t.Errorf("after closing: %v, %d bytes more", err, b.Len()-n)
	}
}

func TestTraceOfRecording(t *testing.T) {
	var b bytes.Buffer
	r := read(t, recorded(t, func(wrap callbacks.Middleware) { program(t, wrap) }))
	check.NoError(t, r.WriteTrace(&b))
	check.Diff(t, "tracks", wantTracks, tracks(t, events(t, b.Bytes())))
}

func TestTraceFails(t *testing.T) {
	if _, err := record.NewTracer(&full{}); err == nil {
		t.Error("a tracer that can write nothing")
	}
	tracer, err := record.NewTracer(&full{left: 1000})
	check.NoError(t, err)
	for range 20 {
		if got, err := call(tracer.Wrap(double), configOf("f", 0), 0, 1, 2); err != nil || got != 4 {
			t.Errorf("%v, %v", got, err)
		}
	}
	check.Error(t, tracer.Close(), "disk full")
	var r record.Recording
	if err := r.WriteTrace(writer(func([]byte) (int, error) { return 0, errors.New("gone") })); err == nil {
		t.Error("a trace is written into nothing")
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestTraceOfRun holds that a run is traced from its beginning to its end, that a call
// after that makes no other one of it, and that a run without calls is not shown.
func TestTraceOfRun(t *testing.T) {
	group := dispatch.NewGroup(dispatch.GroupOptions{})
	defer group.Close()
	var b bytes.Buffer
	tracer, err := record.NewTracer(&b)
	check.NoError(t, err)
	var run, silent, open dispatch.Run
	group.Begin(t.Context(), &silent, dispatch.RunOptions{})
	group.Begin(t.Context(), &run, dispatch.RunOptions{})
	in := func(r *dispatch.Run, name string, id int64) {
		f := &callbacks.Frame{Name: name, RunID: id}
		f = f.WithContext(r.Context())
		check.Report(t, tracer.Wrap(func(*callbacks.Frame) error { return nil })(f))
	}
	in(&run, "in time", 7)
	silent.End()
	run.End()
	in(&run, "late", 7)
	group.Begin(t.Context(), &open, dispatch.RunOptions{})
	in(&open, "open", 8)
	check.NoError(t, tracer.Close())
	open.End()
	list := events(t, b.Bytes())
	check.Diff(t, "tracks", []string{"run 7", "run 8"}, tracks(t, list)["runs/runs"])
	find := func(name string) event {
		return list[slices.IndexFunc(list, func(e event) bool { return e.Name == name && e.Ph == "X" })]
	}
	whole, early, late := find("run 7"), find("in time"), find("late")
	if whole.Ts >= early.Ts || whole.Ts+whole.Dur <= early.Ts+early.Dur || whole.Ts+whole.Dur > late.Ts {
		t.Errorf("the run is %v, its call in time %v and the late one %v", whole, early, late)
	}
	if whole.Args["calls"] != 2.0 {
		t.Errorf("the run has %v calls", whole.Args["calls"])
	}
}

// While calls are made, counters show the queues and what Count was given.
func TestTraceCounters(t *testing.T) {
	var out bytes.Buffer
	tracer, err := record.NewTracer(&out)
	check.NoError(t, err)
	tracer.Count("client", func() map[string]int64 { return map[string]int64{"bytes": 77} })
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()
	registry.Use(tracer.Wrap)
	pushed := make(chan bool)
	fn := func(*callbacks.Frame) error { <-pushed; return nil }
	check.NoError(t, registry.Register("f", fn, callbacks.Options{Dispatch: callbacks.Async}))
	slot, err := dispatch.ResolveIn(registry, contract.Config{Form: contract.Observe, Callback: "f"})
	check.NoError(t, err)
	group := dispatch.NewGroup(dispatch.GroupOptions{})
	defer group.Close()
	run := new(dispatch.Run)
	group.Begin(t.Context(), run, dispatch.RunOptions{})
	for range 3 {
		f := &callbacks.Frame{Name: "f"}
		check.NoError(t, dispatchtest.Invoke(slot, run, f))
	}
	time.Sleep(2 * time.Millisecond) // until counters are due again
	close(pushed)
	run.End()
	check.NoError(t, group.Barrier(t.Context(), "end"))
	check.NoError(t, tracer.Close())
	most := map[string]float64{}
	for _, e := range events(t, out.Bytes()) {
		if e.Ph != "C" {
			continue
		}
		for key, value := range e.Args {
			key = e.Name + " " + key
			most[key] = max(most[key], value.(float64))
		}
	}
	name := "callbacks of " + registry.Name()
	for key, want := range map[string]float64{name + " queued": 2, name + " running": 1, name + " lost": 0,
		name + ", bytes in the queue bytes": 3 * 512, "client bytes": 77} {
		if got, ok := most[key]; !ok || got != want {
			t.Errorf("%s is %v at most, want %v", key, got, want)
		}
	}
}
