package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// What the ways of dispatch are measured with.
var (
	benchWays     = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Async, callbacks.Deferred}
	payloads      = []int{16, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20} // bytes
	quickPayloads = []int{16, 64 << 10, 16 << 20}
	runsAtOnce    = []int{1, 2, 4, 8}
)

const (
	mostCalls   = 100_000               // in one device loop
	measurement = 30 * time.Millisecond // that one takes at least
	mostRepeats = 4
)

func (s settings) payloads() []int {
	if s.quick {
		return quickPayloads
	}
	return payloads
}

func (s settings) runsAtOnce() []int {
	if s.quick {
		return runsAtOnce[:1]
	}
	return runsAtOnce
}

// sized is how a payload is written.
func sized(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%dMiB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%dKiB", bytes>>10)
	}
	return fmt.Sprintf("%dB", bytes)
}

// ways measures a call of a function that does nothing, in a device loop, by each way
// of dispatch and each payload, from one run and from several at once on devices of
// their own. The result is the latencies with one run.
func ways(ctx context.Context, plugin *bridge.Plugin, s settings, r *report) ([]series, error) {
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: runsAtOnce[len(runsAtOnce)-1]})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var list []series
	for _, way := range benchWays {
		name := "bench " + way.String()
		nothing := func(*callbacks.Frame) error { return nil }
		if err := callbacks.Default.Register(name, nothing, callbacks.Options{Dispatch: way}); err != nil {
			return nil, err
		}
		one := series{name: "Go " + way.String()}
		for _, bytes := range s.payloads() {
			us, err := oneWay(ctx, client, s, r, way, name, bytes)
			if err != nil {
				return nil, fmt.Errorf("%v with %s: %w", way, sized(bytes), err)
			}
			one.points = append(one.points, point{float64(bytes), us})
		}
		list = append(list, one)
	}
	return list, nil
}

// oneWay measures one way with one payload; the result is the latency with one run.
func oneWay(ctx context.Context, client *bridge.Client, s settings, r *report, way callbacks.Dispatch, name string, bytes int) (float64, error) {
	e, err := client.Compile(ctx, []byte(wayModule(way, name, bytes/4)), bridge.CompileOptions{})
	if err != nil {
		return 0, err
	}
	defer e.Close()
	l := &wayLoop{client: client, executable: e}
	defer l.close()
	data, err := tensor.FromSlice(make([]float32, bytes/4), bytes/4)
	if err != nil {
		return 0, err
	}
	for device := range s.runsAtOnce()[len(s.runsAtOnce())-1] {
		b, err := client.Buffer(data, device)
		if err != nil {
			return 0, err
		}
		l.inputs = append(l.inputs, b)
	}
	latency := 0.0
	for i, runs := range s.runsAtOnce() {
		us, err := l.latency(ctx, runs, min(s.repeat, mostRepeats))
		if err != nil {
			return 0, err
		}
		r.figure(fmt.Sprintf("callbacks/%v/%s/%druns", way, sized(bytes), runs), us, "us/call", nil)
		if i == 0 {
			latency = us
		}
	}
	return latency, nil
}

// wayLoop is a device loop under measurement.
type wayLoop struct {
	client     *bridge.Client
	executable *bridge.Executable
	inputs     []*bridge.Buffer // one on each device
}

func (l *wayLoop) close() {
	for _, b := range l.inputs {
		b.Close()
	}
}

// latency is the microseconds of one call while so many runs go on. What a run takes
// without a call, the copy of its operand say, does not count; of the times the least is
// taken, for other programs only ever make them longer.
func (l *wayLoop) latency(ctx context.Context, runs, repeat int) (float64, error) {
	var none, with []time.Duration
	for range 2 {
		d, err := l.time(ctx, runs, 0)
		if err != nil {
			return 0, err
		}
		none = append(none, d)
	}
	calls := 1
	for calls < mostCalls { // as many as take long enough
		d, err := l.time(ctx, runs, calls)
		if err != nil {
			return 0, err
		}
		if d-none[1] > measurement {
			break
		}
		calls = min(calls*4, mostCalls)
	}
	for range repeat {
		for n, times := range map[int]*[]time.Duration{0: &none, calls: &with} {
			d, err := l.time(ctx, runs, n)
			if err != nil {
				return 0, err
			}
			*times = append(*times, d)
		}
	}
	return max(slices.Min(with)-slices.Min(none), 1).Seconds() * 1e6 / float64(calls), nil
}

// time is what runs at once take, until the last call is delivered.
func (l *wayLoop) time(ctx context.Context, runs, calls int) (time.Duration, error) {
	errs := make([]error, runs)
	var wait sync.WaitGroup
	start := time.Now()
	for i := range runs {
		wait.Go(func() { errs[i] = l.run(ctx, i, calls) })
	}
	wait.Wait()
	errs = append(errs, l.client.Barrier(ctx, "bench"))
	return time.Since(start), errors.Join(errs...)
}

func (l *wayLoop) run(ctx context.Context, device, calls int) error {
	n, err := l.client.Buffer(tensor.Scalar(int32(calls)), device)
	if err != nil {
		return err
	}
	defer n.Close()
	out, err := l.executable.Run(ctx, l.inputs[device], n)
	if err != nil {
		return err
	}
	return out[0].Close()
}

// wayModule calls with an array in a loop. Async is for taps alone; the others pass
// their operand through.
func wayModule(way callbacks.Dispatch, name string, elements int) string {
	shape := fmt.Sprintf("%dxf32", elements)
	config := func(form contract.Form) string {
		return fmt.Sprintf(`{callback = %q, form = %q, v = %d : i64}`, name, form, contract.Version)
	}
	body, result := passthroughCall(contract.TargetIOCallback, config(contract.Passthrough), shape), "%y"
	if way == callbacks.Async {
		body = fmt.Sprintf("%%t = stablehlo.custom_call @%s(%%x) {api_version = 4 : i32, has_side_effect = true, backend_config = %s} : (tensor<%s>) -> tensor<i8>",
			contract.TargetIOCallback, config(contract.Observe), shape)
		result = "%x"
	}
	// The result is a scalar, so that a run does not have to make a copy for it.
	return fmt.Sprintf(`func.func @main(%%v: tensor<%[1]s>, %%n: tensor<i32>) -> tensor<i32> {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%r:2 = stablehlo.while(%%i = %%zero, %%x = %%v) : tensor<i32>, tensor<%[1]s>
   cond {
    %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%p : tensor<i1>
  } do {
    %[2]s
    %%j = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%j, %[3]s : tensor<i32>, tensor<%[1]s>
  }
  return %%r#0 : tensor<i32>
}`, shape, body, result)
}
