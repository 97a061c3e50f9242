package engine

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestHostArray(t *testing.T) {
	ctx := t.Context()
	from := tensor.Vector[float32](1, 2)
	b := check.Must(HostArray(ctx, from))
	from.Data[0]++ // it is a copy
	want := tensor.Vector[float32](1, 2)
	check.Diff(t, "on the host", true, b.OnHost())
	check.Diff(t, "device", 0, b.Device())
	check.Diff(t, "shape", want.Shape, b.Shape())
	check.Diff(t, "borrowed", false, b.Borrowed())
	check.Diff(t, "ToHost", want, check.Must(b.ToHost(ctx)))
	to := tensor.Vector[float32](0, 0)
	check.NoError(t, b.CopyTo(ctx, to))
	check.Diff(t, "CopyTo", want, to)

	seen := check.Must(b.View(ctx))
	check.Diff(t, "View", want, seen.Tensor())
	_, err := Donate(b).Take()
	check.Error(t, err, "the donated array is in use by a run or a view")
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
	for _, closed := range []*Array{b, shared, copied} {
		_, err := closed.ToHost(ctx)
		_, errView := closed.View(ctx)
		_, errShare := closed.Share()
		_, errCopy := closed.CopyToDevice(0)
		for _, err := range []error{err, errView, errShare, errCopy} {
			check.Error(t, err, "the array is closed or was donated")
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%v is no ErrClosed", err)
			}
		}
		check.NoError(t, closed.Close())
	}
}

// Arrays of all element types have the host's layout, also those that XLA packs, and those without elements.
func TestHostArrayShapes(t *testing.T) {
	for _, s := range []tensor.Shape{
		tensor.ShapeOf(tensor.F32, 0), tensor.ShapeOf(tensor.F32), tensor.ShapeOf(tensor.S4, 3),
		tensor.ShapeOf(tensor.C128, 5, 7), tensor.ShapeOf(tensor.U8, 1000),
	} {
		b, memory, err := NewHostArray(s)
		check.NoError(t, err)
		for i := range memory.Data {
			memory.Data[i] = byte(i % 7)
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(memory.Data))); at%Align != 0 {
			t.Errorf("%s is at %#x", s, at)
		}
		check.Diff(t, "ToHost", memory, check.Must(b.ToHost(t.Context())))
		check.NoError(t, b.Close())
	}
	_, _, err := NewHostArray(tensor.Shape{DType: tensor.F32, Dims: []int{-1}})
	check.Error(t, err, "engine: NewHostArray: ")
	_, err = HostArray(t.Context(), tensor.View{Shape: tensor.ShapeOf(tensor.F32, 2), Data: make([]byte, 3)})
	check.Error(t, err, "engine: HostArray: ")
}

// The memory of an Array that is closed is that of a later one.
func TestHostMemoryIsUsedAgain(t *testing.T) {
	shape := tensor.ShapeOf(tensor.F64, 1000)
	used := map[*byte]bool{}
	for range 100 { // the race detector makes a sync.Pool forget some
		b, memory, err := NewHostArray(shape)
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

// A method that is called on a zero value or a nil pointer says so.
func TestZeroValues(t *testing.T) {
	check.Receivers(t, "engine: ", &Abilities{}, &Array{}, &Borrowed{}, &CompileOptions{}, &Donation{},
		&HostEngine{}, &HostInputs{}, &InputCountError{}, &InputError{},
		&Life{}, &Order{}, &RefusedError{}, &SequenceError{}, &Use{}, &View{})
	ctx := t.Context()
	a := new(Array)
	check.Panics(t, "engine: Array.ToHost called on a zero value: get one from an Engine or Executable.Run",
		func() { _, _ = a.ToHost(ctx) })
	a = nil
	check.Panics(t, "engine: Array.ToHost called on a nil pointer: check the error that was returned with it",
		func() { _, _ = a.ToHost(ctx) })
	check.Panics(t, "engine: Array.Use called on a zero value", func() { _, _ = Donate(new(Array)).Take() })
}
