package bridge

import (
	"errors"
	"runtime"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// waiting waits until somebody holds the turn of the client's sequence, as one that waits for earlier work does.
func waiting(c *Client) {
	for {
		if _, starting := c.sequence.order.State(); starting {
			return
		}
		runtime.Gosched()
	}
}

// TestOrder orders work of the host with a run, and with other work.
func TestOrder(t *testing.T) {
	c := testClient(t)
	called := make(chan struct{})
	name := register(t, "", func(*callbacks.Frame) error { close(called); return nil })
	e := compileProgram(t, c, effectful(name, "log"))
	done, err := c.Order(t.Context(), "log")
	check.NoError(t, err)
	other, err := c.Order(t.Context(), "other") // does not wait
	check.NoError(t, err)
	other(nil)
	ran := make(chan error)
	go func() {
		out, err := e.Run(t.Context(), bigInput(t))
		for _, b := range out {
			_ = b.Close()
		}
		ran <- err
	}()
	waiting(c)
	select {
	case <-called:
		t.Error("the run did not wait")
	default:
	}
	done(nil)
	check.NoError(t, <-ran)

	done, err = c.Order(t.Context(), "log")
	check.NoError(t, err)
	go func() {
		_, err := c.Order(t.Context(), "log")
		ran <- err
	}()
	waiting(c)
	failure := errors.New("the work failed")
	done(failure)
	err = <-ran
	if earlier := new(engine.SequenceError); !errors.As(err, &earlier) || !errors.Is(err, failure) {
		t.Errorf("got %v, want a SequenceError", err)
	}
	done, err = c.Order(t.Context(), "log")
	check.NoError(t, err)
	done(nil)
}
