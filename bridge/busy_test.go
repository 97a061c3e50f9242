package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The error of a run that did not end in time names the one that is in its way, and who began it.
func TestBusyError(t *testing.T) {
	e := compile(t, testClient(t), counting, engine.CompileOptions{})
	n := countFor(t, e, time.Second)
	run := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := e.Run(ctx, n)
		return err
	}
	is(t, "alone", context.DeadlineExceeded, run())
	err := run()
	check.Error(t, err, "device 0 still executes run ", `of executable "`,
		" ago in bridge.TestBusyError.func1 (bridge/busy_test.go:")
	busy := check.As[*BusyError](t, err)
	if !errors.Is(err, context.DeadlineExceeded) || busy.Runs != 1 || busy.Since < 20*time.Millisecond {
		t.Errorf("%+v", busy)
	}
}
