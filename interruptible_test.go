package calliope_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A loop that never ends and calls nothing ends with the context of its call, and the device is free for others.
func TestInterruptible(t *testing.T) {
	for name, engine := range engines {
		t.Run(name, func(t *testing.T) {
			s := check.Must(calliope.Open(t.Context(), calliope.Options{Engine: engine, Interruptible: true}))
			endless := calliope.FuncWith(func(x builder.Value) builder.Value {
				forever := func(x builder.Value) builder.Value { return builder.Lt(x, float32(2)) }
				return builder.While(x, forever, func(x builder.Value) builder.Value { return builder.Cos(x) },
					builder.LoopOptions{})
			}, calliope.FuncOptions{Session: s})
			add := calliope.FuncWith(func(x builder.Value) builder.Value { return builder.Add(x, 1) },
				calliope.FuncOptions{Session: s})
			_, err := endless.Module(t.Context(), float32(1))
			check.NoError(t, err)
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				_, err = calliope.Call[float32](ctx, endless, float32(1))
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
			got, err := calliope.Call[float32](t.Context(), add, float32(1))
			check.NoError(t, err)
			check.Diff(t, "another call", float32(2), got)
			check.NoError(t, errors.Join(endless.Close(), add.Close(), s.Close())) // Close waits for the runs
		})
	}
}
