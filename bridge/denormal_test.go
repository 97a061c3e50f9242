package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

var leastNormal = float32(0x1p-126) // a variable, so that Go does not fold constants

// XLA takes denormal numbers for zero while it computes. Go does not, and neither do the threads that Go's runtime
// starts during a call.
func TestDenormalNumbersInCallbacks(t *testing.T) {
	var inCall, inGoroutine float32
	name := register(t, "", func(*callbacks.Frame) error {
		inCall = leastNormal / 2
		done := make(chan bool)
		go func() { inGoroutine = leastNormal / 2; close(done) }()
		<-done
		return nil
	})
	e := compile(t, testClient(t), bigPassthrough(name, "f32[64,64]->f32[64,64]"), engine.CompileOptions{})
	out, err := e.Run(t.Context(), bigInput(t))
	check.NoError(t, err)
	for _, b := range out {
		check.NoError(t, b.Close())
	}
	check.Diff(t, "half of the smallest normal number", [2]float32{0x1p-127, 0x1p-127}, [2]float32{inCall, inGoroutine})
}

// XLA's thread says that a run or a transfer is over. Go's runtime may start a thread there, too.
func TestDenormalNumbersAfterRuns(t *testing.T) {
	release, ended := make(chan bool), make(chan float32)
	name := register(t, "", func(*callbacks.Frame) error { <-release; return nil })
	e := compile(t, testClient(t), bigPassthrough(name, "f32[64,64]->f32[64,64]"), engine.CompileOptions{})
	run, err := e.Start(t.Context(), bigInput(t))
	check.NoError(t, err)
	computed, err := run.pjrt.Output(0).Ready()
	check.NoError(t, err)
	over, err := computed.Notify(func(error) { half := leastNormal / 2; go func() { ended <- half }() })
	check.NoError(t, err)
	close(release)
	if over {
		t.Error("the result is there before the call has returned")
	} else {
		check.Diff(t, "half of the smallest normal number", float32(0x1p-127), <-ended)
	}
	out, err := run.Wait(t.Context())
	check.NoError(t, err)
	for _, b := range out {
		check.NoError(t, b.Close())
	}
}
