package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A program on a client takes no array of the host's memory.
func TestHostArrayOnClient(t *testing.T) {
	e := compile(t, testClient(t), mainFunc("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>"),
		engine.CompileOptions{})
	b := check.Must(engine.HostArray(t.Context(), view(t, []float32{1, 2}, 2)))
	check.Cleanup(t, b)
	check.Diff(t, "client", (*Client)(nil), clientOf(b))
	check.Diff(t, "memory space", "unpinned_host", check.Must(MemorySpace(b)))
	for _, in := range []engine.Input{b, engine.Donate(b)} {
		_, err := e.Run(t.Context(), in)
		check.Error(t, err, "input 0: the array belongs to another client or engine: give what its ToHost returns")
	}
}
