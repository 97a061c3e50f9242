package bridge

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestHostBuffer(t *testing.T) {
	ctx := t.Context()
	from := view(t, []float32{1, 2}, 2)
	b := check.Must(HostBuffer(ctx, from))
	from.Data[0]++ // it is a copy
	want := view(t, []float32{1, 2}, 2)
	check.Diff(t, "client", (*Client)(nil), b.Client())
	check.Diff(t, "device", 0, b.Device())
	check.Diff(t, "shape", want.Shape, b.Shape())
	check.Diff(t, "borrowed", false, b.Borrowed())
	check.Diff(t, "memory space", "unpinned_host", check.Must(b.MemorySpace()))
	check.Diff(t, "ToHost", want, check.Must(b.ToHost(ctx)))
	to := view(t, []float32{0, 0}, 2)
	check.NoError(t, b.CopyTo(ctx, to))
	check.Diff(t, "CopyTo", want, to)

	seen := check.Must(b.View(ctx))
	check.Diff(t, "View", want, seen.Tensor())
	_, err := Donate(b).Take()
	check.Error(t, err, "the donated buffer is in use by a run or a view")
	check.NoError(t, seen.Close())
	shared, copied := check.Must(b.Share()), check.Must(b.CopyToDevice(0))
	_, err = b.CopyToDevice(1)
	check.Error(t, err, "there is no device 1: the array is in the host's memory, which is device 0")
	check.NoError(t, b.Close())
	check.Diff(t, "a second one of the array", want, check.Must(shared.ToHost(ctx)))
	_, err = Donate(shared).Take()
	check.Error(t, err, "donate that one")
	check.NoError(t, shared.Close())

	taken := check.Must(Donate(copied).Take())
	check.Diff(t, "taken", want, check.Must(taken.ToHost(ctx)))
	check.Cleanup(t, taken)
	for _, closed := range []*Buffer{b, shared, copied} {
		_, err := closed.ToHost(ctx)
		_, errView := closed.View(ctx)
		_, errShare := closed.Share()
		_, errCopy := closed.CopyToDevice(0)
		for _, err := range []error{err, errView, errShare, errCopy} {
			check.Error(t, err, "the buffer is closed or was donated")
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%v is no ErrClosed", err)
			}
		}
		check.NoError(t, closed.Close())
	}
}

// Arrays of all element types have the host's layout, also those that XLA packs, and those without elements.
func TestHostBufferShapes(t *testing.T) {
	for _, s := range []tensor.Shape{
		tensor.ShapeOf(tensor.F32, 0), tensor.ShapeOf(tensor.F32), tensor.ShapeOf(tensor.S4, 3),
		tensor.ShapeOf(tensor.C128, 5, 7), tensor.ShapeOf(tensor.U8, 1000),
	} {
		b, memory, err := NewHostBuffer(s)
		check.NoError(t, err)
		for i := range memory.Data {
			memory.Data[i] = byte(i % 7)
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(memory.Data))); at%borrowAlign != 0 {
			t.Errorf("%s is at %#x", s, at)
		}
		check.Diff(t, "ToHost", memory, check.Must(b.ToHost(t.Context())))
		check.NoError(t, b.Close())
	}
	_, _, err := NewHostBuffer(tensor.Shape{DType: tensor.F32, Dims: []int{-1}})
	check.Error(t, err, "bridge: NewHostBuffer: ")
	_, err = HostBuffer(t.Context(), tensor.View{Shape: tensor.ShapeOf(tensor.F32, 2), Data: make([]byte, 3)})
	check.Error(t, err, "bridge: HostBuffer: ")
}

// The memory of a Buffer that is closed is that of a later one.
func TestHostMemoryIsUsedAgain(t *testing.T) {
	shape := tensor.ShapeOf(tensor.F64, 1000)
	used := map[*byte]bool{}
	for range 100 { // the race detector makes a sync.Pool forget some
		b, memory, err := NewHostBuffer(shape)
		check.NoError(t, err)
		if at := unsafe.SliceData(memory.Data); used[at] {
			return
		} else {
			used[at] = true
		}
		check.NoError(t, b.Close())
	}
	t.Error("no memory was used again")
}

func TestRoundSize(t *testing.T) {
	for n, want := range map[int]int{
		0: 64, 1: 64, 64: 64, 65: 72, 72: 72, 73: 80, 128: 128, 129: 144, 1 << 20: 1 << 20, 1<<20 + 1: 1<<20 + 1<<17,
	} {
		check.Diff(t, "size", want, roundSize(n))
	}
}

// A program on a client takes no array of the host's memory.
func TestHostBufferOnClient(t *testing.T) {
	e := compile(t, testClient(t), mainFunc("%x: tensor<2xf32>", "tensor<2xf32>", "return %x : tensor<2xf32>"),
		CompileOptions{})
	b := check.Must(HostBuffer(t.Context(), view(t, []float32{1, 2}, 2)))
	check.Cleanup(t, b)
	for _, in := range []Input{b, Donate(b)} {
		_, err := e.Run(t.Context(), in)
		check.Error(t, err, "input 0: the buffer belongs to another client, or to none: give what its ToHost returns")
	}
}
