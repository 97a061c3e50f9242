//go:build linux

package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/cuda"
	"github.com/calliope-mlir/calliope/internal/run/cuda/cudatest"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/run/pjrt/pjrttest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// Clients are made for platforms whose handlers are registered.
func TestPlatforms(t *testing.T) {
	cudatest.Open(t)
	for _, test := range []struct {
		variant  int
		platform string
		pinned   bool
		refused  bool
	}{
		{pjrttest.Right5, "cpu", false, false},
		{pjrttest.Right5, "calliope", false, false},
		{pjrttest.Right5, "cuda", false, true},
		{pjrttest.RightCUDA, "cuda", true, false},
		{pjrttest.RightCUDA, "rocm", false, true},
		{pjrttest.RightCUDA, "cpu", false, true},
	} {
		p := &Plugin{pjrt: check.Must(pjrt.Load(pjrttest.Open(t, test.variant)))}
		pool, err := p.pinnedFor(test.platform, func() (bool, error) { return test.platform != "cuda", nil })
		check.Diff(t, test.platform+" has pinned memory", test.pinned, pool != nil)
		const refusal = "Go can read only the memory of the host and of cuda"
		if got := err != nil && strings.Contains(err.Error(), refusal); got != test.refused {
			t.Errorf("%s on %s: %v", test.platform, p.pjrt.Platform(), err)
		}
	}
}

// Arrays of a client for GPUs are never taken for memory of the host. Here the client is one for
// the CPU that is taken for one for GPUs.
func TestDeviceBuffers(t *testing.T) {
	cudatest.Open(t)
	c := testClient(t)
	c.pinned = check.Must(cuda.NewPool(1 << 20))
	words := make([]complex128, 8)
	in := tensor.View{Shape: tensor.ShapeOf(tensor.F32, 2), Data: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 128)}
	in.Data = in.Data[64-uintptr(unsafe.Pointer(&words[0]))%64:][:8]
	b := check.Must(c.BorrowFromHost(t.Context(), in, 0))
	check.Diff(t, "borrowed", false, b.Borrowed())
	v := check.Must(b.View(t.Context()))
	check.Diff(t, "view", in.Data, v.Tensor().Data)
	to := tensor.View{Shape: in.Shape, Data: make([]byte, 8)}
	check.NoError(t, b.CopyTo(t.Context(), to))
	check.Diff(t, "copy", in.Data, to.Data)
	check.Diff(t, "address asked for", true, memoryOf(b).address.Load() == nil)
	check.NoError(t, errors.Join(v.Close(), b.Close()))

	var inner error
	name := register(t, "", func(f *callbacks.Frame) error {
		_, inner = InnerClient(f.Context())
		return nil
	})
	const typ = "tensor<2xf32>"
	e := compile(t, c, mainFunc("%x: "+typ, typ, "%y = "+custom(contract.Passthrough,
		fmt.Sprintf("callback = %q", name), "%x", typ, typ)+"\nreturn %y : "+typ), engine.CompileOptions{})
	out, err := e.Run(t.Context(), in)
	check.NoError(t, err)
	check.Diff(t, "output", in.Data, check.Must(out[0].ToHost(t.Context())).Data)
	check.NoError(t, out[0].Close())
	check.Error(t, inner, "a callback cannot execute on a GPU", "use a client of a CPU plugin")
	_, err = e.Serialize()
	check.Error(t, err, "programs for GPUs are not saved")
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v does not match ErrUnsupported", err)
	}
}
