package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestTraceOfRuns traces runs at once on two devices: each run's span is all of the run
// and not only its calls, and a call stands in the track of its device.
func TestTraceOfRuns(t *testing.T) {
	client := newClient(t, 2)
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer registry.Close()
	live(t, registry, [3]callbacks.Dispatch{})
	var file bytes.Buffer
	tracer, err := record.NewTracer(&file)
	check.NoError(t, err)
	registry.Use(tracer.Wrap)
	_, errs := outcomes(t, client, t.Name(), []float32{100, 200, 300, 400})
	check.Report(t, client.Barrier(t.Context(), "traced"))
	check.NoError(t, errors.Join(append(errs, tracer.Close())...))

	type event struct {
		Name, Ph string
		Pid, Tid int
		Ts, Dur  float64
		Args     map[string]any
	}
	var events []event
	check.NoError(t, json.Unmarshal(file.Bytes(), &events))
	groups, threads := map[int]string{}, map[[2]int]string{}
	runs := map[string]event{}
	for _, e := range events {
		switch {
		case e.Name == "process_name":
			groups[e.Pid] = fmt.Sprint(e.Args["name"])
		case e.Name == "thread_name":
			threads[[2]int{e.Pid, e.Tid}] = fmt.Sprint(e.Args["name"])
		case e.Ph == "X" && groups[e.Pid] == "runs":
			runs[e.Name] = e
			if e.Args["calls"] != 9.0 {
				t.Errorf("%s has %v calls", e.Name, e.Args["calls"])
			}
		}
	}
	if len(runs) != 4 {
		t.Errorf("%d runs are traced, want 4", len(runs))
	}
	devices := map[any]int{}
	for _, e := range events {
		if e.Ph != "X" || groups[e.Pid] != "devices" {
			continue
		}
		run, ok := runs[fmt.Sprint("run ", e.Args["run"])]
		if !ok || run.Ts >= e.Ts || run.Ts+run.Dur <= e.Ts+e.Dur {
			t.Errorf("%s from %v for %v µs does not stand within its run, from %v for %v µs", e.Name, e.Ts, e.Dur,
				run.Ts, run.Dur)
		}
		var device int
		if _, err := fmt.Sscanf(threads[[2]int{e.Pid, e.Tid}], "device %d", &device); err != nil ||
			e.Args["device"] != float64(device) {
			t.Errorf("a call of device %v stands in the track %q", e.Args["device"], threads[[2]int{e.Pid, e.Tid}])
		}
		devices[e.Args["device"]]++
	}
	if devices[0.0] != 18 || devices[1.0] != 18 {
		t.Errorf("the calls by device are %v, want 18 of each", devices)
	}
}
