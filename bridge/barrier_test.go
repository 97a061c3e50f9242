package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// onDevice returns a large array on a device.
func onDevice(t testing.TB, c *Client, device int) *engine.Array {
	t.Helper()
	b, err := c.ArrayFromHost(t.Context(), bigInput(t), device)
	check.NoError(t, err)
	t.Cleanup(func() { check.NoError(t, b.Close()) })
	return b
}

// The barrier of a device waits for the runs of that device, and a run on several devices
// counts for each of them.
func TestBarrierDevice(t *testing.T) {
	c := testClient(t)
	entered, leave := make(chan int, 8), make(chan struct{})
	name := registerWith(t, callbacks.Options{}, func(f *callbacks.Frame) error {
		entered <- f.Device
		<-leave
		return nil
	})
	module := big(contract.Passthrough, "callback = \""+name+"\"")
	one := compile(t, c, module, engine.CompileOptions{})
	both := compile(t, c, module, engine.CompileOptions{Replicas: 2}) // on the devices 0 and 1
	expect := func(what string, busy ...bool) {
		t.Helper()
		for device, busy := range busy {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if !busy {
				stop()
				ctx, stop = context.WithCancel(t.Context())
			}
			err := c.BarrierDevice(ctx, device, what)
			stop()
			if _, timeout := errors.AsType[*callbacks.BarrierError](err); timeout != busy || !busy && err != nil {
				t.Errorf("%s: the barrier of device %d returned %v, want a wait: %t", what, device, err, busy)
			}
		}
	}
	expect("none", false, false, false, false)
	start := func(e *Executable, inputs ...engine.Input) *Run {
		t.Helper()
		r, err := e.Start(t.Context(), inputs...)
		check.NoError(t, err)
		return r
	}
	third := start(one, onDevice(t, c, 2))
	check.Diff(t, "device of the call", 2, <-entered)
	expect("device 2", false, false, true, false)
	several := start(both, onDevice(t, c, 0), onDevice(t, c, 1))
	<-entered
	<-entered
	expect("devices 0, 1 and 2", true, true, true, false)
	close(leave)
	for _, device := range []int{2, 1, 0} {
		check.NoError(t, c.BarrierDevice(t.Context(), device, "end"))
	}
	check.NoError(t, WaitAll(t.Context(), third, several))
	for _, r := range []*Run{third, several} {
		r.discard()
	}
	for _, device := range []int{-1, 4} {
		if err := c.BarrierDevice(t.Context(), device, "here"); err == nil {
			t.Errorf("no error for device %d", device)
		}
	}
}

// The barrier of a device returns the errors of the taps on it, and leaves the others.
func TestBarrierDeviceErrors(t *testing.T) {
	c := testClient(t)
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Async},
		func(*callbacks.Frame) error { return errSentinel })
	e := compile(t, c, big(contract.Observe, "callback = \""+name+"\""), engine.CompileOptions{})
	for _, device := range []int{0, 1, 1, 3} {
		out, err := e.Run(t.Context(), onDevice(t, c, device))
		check.NoError(t, err)
		check.NoError(t, out[0].Close())
	}
	count := func(err error) int {
		if failed, ok := errors.AsType[*callbacks.TapErrors](err); ok {
			return failed.Count
		}
		check.NoError(t, err)
		return 0
	}
	check.Diff(t, "device 1", 2, count(c.BarrierDevice(t.Context(), 1, "one")))
	check.Diff(t, "device 1 again", 0, count(c.BarrierDevice(t.Context(), 1, "one")))
	check.Diff(t, "all devices", 2, count(c.Barrier(t.Context(), "all")))
	check.Diff(t, "all devices again", 0, count(c.Barrier(t.Context(), "all")))
}

// WaitAll returns the error of each run, and ends all waits together.
func TestWaitAll(t *testing.T) {
	c := testClient(t)
	leave := make(chan struct{})
	errs := []error{errors.New("first"), nil, errors.New("third"), nil}
	name := registerWith(t, callbacks.Options{}, func(f *callbacks.Frame) error {
		<-leave
		return errs[f.Device]
	})
	e := compile(t, c, big(contract.Passthrough, "callback = \""+name+"\""), engine.CompileOptions{})
	start := func() (list []*Run) {
		for device := range errs {
			r, err := e.Start(t.Context(), onDevice(t, c, device))
			check.NoError(t, err)
			list = append(list, r)
		}
		return list
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := start()
	cancel()
	began := time.Now()
	err := WaitAll(ctx, left...)
	check.Diff(t, "the end of the context", true, errors.Is(err, context.Canceled))
	if took := time.Since(began); took > 3*grace {
		t.Errorf("four waits took %v", took)
	}
	close(leave)
	check.NoError(t, c.Barrier(t.Context(), "left"))

	list := start()
	err = WaitAll(t.Context(), list...)
	check.Text(t, err, `callbacks: callback "TestWaitAll" on device 0: first
callbacks: callback "TestWaitAll" on device 2: third`)
	for i, r := range list {
		check.Diff(t, "error", true, errors.Is(err, errs[i]) || errs[i] == nil)
		out, err := r.Wait(t.Context())
		is(t, "a further wait", errs[i], err)
		for _, b := range out {
			check.NoError(t, b.Close())
		}
	}
	check.NoError(t, WaitAll(t.Context()))
	if err := WaitAll(t.Context(), list[0], nil); err == nil {
		t.Error("no error for a nil run")
	}
}
