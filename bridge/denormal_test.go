package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/check"
)

// XLA takes denormal numbers for zero while it computes. Go does not, and neither do the threads that Go's runtime
// starts during a call.
func TestDenormalNumbersInCallbacks(t *testing.T) {
	least := float32(0x1p-126)
	var inCall, inGoroutine float32
	half := func(x *float32) float32 { return *x / 2 }
	name := register(t, "", func(*callbacks.Frame) error {
		inCall = half(&least)
		done := make(chan bool)
		go func() { inGoroutine = half(&least); close(done) }()
		<-done
		return nil
	})
	e := compile(t, testClient(t), bigPassthrough(name, "f32[64,64]->f32[64,64]"), CompileOptions{})
	out, err := e.Run(t.Context(), bigInput(t))
	check.NoError(t, err)
	for _, b := range out {
		check.NoError(t, b.Close())
	}
	check.Diff(t, "half of the smallest normal number", [2]float32{0x1p-127, 0x1p-127}, [2]float32{inCall, inGoroutine})
}
