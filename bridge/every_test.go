package bridge

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// Every counts the calls of all runs and devices: five runs on two devices are ten calls,
// of which each third is made.
func TestEveryCountsAcrossRuns(t *testing.T) {
	var calls atomic.Int64
	name := register(t, "", func(*callbacks.Frame) error { calls.Add(1); return nil })
	const typ = "tensor<2xf32>"
	e := compile(t, testClient(t), mainFunc("%x: "+typ, typ,
		custom(contract.Observe, fmt.Sprintf("callback = %q, every = 3 : i64", name), "%x", typ, "()")+"\nreturn %x : "+
			typ),
		engine.CompileOptions{Replicas: 2})
	in := view(t, []float32{1, 2}, 2)
	for range 5 {
		out, err := e.Run(t.Context(), in, in)
		check.NoError(t, err)
		for _, o := range out {
			o.Close()
		}
	}
	check.Diff(t, "calls", int64(4), calls.Load())
}
