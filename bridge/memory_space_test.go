package bridge

import (
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// The plugins for the CPU have the kinds of memory that those for GPUs have.
func TestMemorySpaces(t *testing.T) {
	c := testClient(t)
	kinds := check.Must(c.MemorySpaces(1))
	check.Diff(t, "memory spaces", []string{"device", "pinned_host", "unpinned_host"}, kinds)
	e := compile(t, c, mainFunc("%x: tensor<2xf32>", "tensor<2xf32>",
		"%y = stablehlo.add %x, %x : tensor<2xf32>\nreturn %y : tensor<2xf32>"), engine.CompileOptions{})
	in := view(t, []float32{1, 2}, 2)
	for _, kind := range kinds {
		b, err := c.ArrayInSpace(t.Context(), in, 1, kind)
		check.NoError(t, err)
		check.Diff(t, "device", 1, b.Device())
		check.Diff(t, "memory space", kind, check.Must(MemorySpace(b)))
		if kind == "device" {
			out, err := e.Run(t.Context(), b)
			check.NoError(t, err)
			check.Diff(t, "memory space of an output", kind, check.Must(MemorySpace(out[0])))
			check.Diff(t, "output", []float32{2, 4}, host[float32](t, out[0]))
		}
		check.Diff(t, "values", []float32{1, 2}, host[float32](t, b))
		_, err = MemorySpace(b)
		check.Error(t, err, "bridge: MemorySpace: the array is closed")
	}
	b := check.Must(c.ArrayFromHost(t.Context(), in, 0))
	check.Diff(t, "memory space by default", "device", check.Must(MemorySpace(b)))
	check.NoError(t, b.Close())
	_, err := c.ArrayInSpace(t.Context(), in, 0, "hbm")
	check.Error(t, err, `device 0 has no memory space "hbm": give one of device, pinned_host, unpinned_host`)
	_, err = c.MemorySpaces(4)
	check.Error(t, err, "there is no device 4; the client has 4, numbered from 0")
}
