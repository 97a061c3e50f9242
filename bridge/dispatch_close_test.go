package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Close waits for callbacks in flight, and its error lists those that are left.
func TestCloseDrains(t *testing.T) {
	leave := make(chan bool)
	delivered := make(chan bool, 10)
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Async}, func(*callbacks.Frame) error {
		<-leave
		delivered <- true
		return errSentinel
	})
	for _, limit := range []time.Duration{-1, 20 * time.Millisecond, time.Minute} {
		c, err := testPlugin(t).NewClient(ClientOptions{DrainTimeout: limit})
		check.NoError(t, err)
		e := compile(t, c, big(contract.Observe, fmt.Sprintf("callback = %q", name)), engine.CompileOptions{})
		out, err := e.Run(t.Context(), bigInput(t))
		check.NoError(t, err)
		out[0].Close()
		switch {
		case limit < 0:
			is(t, "not waited", nil, c.Close())
			leave <- true
		case limit < time.Second:
			err := c.Close()
			if left := new(callbacks.BarrierError); !errors.As(err, &left) ||
				!strings.Contains(err.Error(), "close client") || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want what was left", err)
			}
			leave <- true
		default:
			go func() { leave <- true }()
			is(t, "drained", errSentinel, c.Close())
			check.Diff(t, "delivered", 1, len(delivered))
		}
		<-delivered
	}
}

// OnClose can unregister what was registered for an executable.
func TestOnClose(t *testing.T) {
	c := testClient(t)
	e, err := c.Compile(t.Context(), Source(mainFunc("%x: tensor<f32>", "tensor<f32>", "return %x : tensor<f32>")),
		engine.CompileOptions{})
	check.NoError(t, err)
	closed := 0
	e.OnClose(func() { closed++ })
	check.Diff(t, "before", 0, closed)
	for range 2 {
		check.NoError(t, e.Close())
	}
	check.Diff(t, "after", 1, closed)
	e.OnClose(func() { closed++ })
	check.Diff(t, "at once", 2, closed)
}

// The counts include call sites of closed executables.
func TestStatsOfExecutables(t *testing.T) {
	const signature = "f32[4]->f32[4]"
	r, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{})
	check.NoError(t, err)
	defer r.Close()
	check.NoError(t, r.Register("f", func(*callbacks.Frame) error { return nil }, callbacks.Options{}))
	c := testClient(t)
	for range 3 {
		e, err := c.Compile(t.Context(), Source(loop(contract.TargetIOCallback,
			named("f", signature)+fmt.Sprintf(", registry = %q", r.Name()))), engine.CompileOptions{})
		check.NoError(t, err)
		out, err := e.Run(t.Context(), view(t, make([]float32, 4), 4), tensor.Scalar(int32(100)))
		check.NoError(t, err)
		out[0].Close()
		e.Close()
	}
	want := callbacks.Stat{Callback: "f", Registry: r.Name(), Fired: 300, Delivered: 300}
	check.Diff(t, "stats", []callbacks.Stat{want}, r.Stats())
}
