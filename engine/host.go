package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// Align is how the memory of a host array must be aligned, in bytes, for a device to read it in place.
const Align = 64

// NewHostArray returns an Array in the host's memory, which belongs to no device, and that memory. Its elements are not
// set: the caller writes them before anything uses the Array, and afterwards uses only the Array. Engines that run on
// the host take and return such Arrays, and read them in place. The memory of one that is closed or was donated is used
// again for others.
func NewHostArray(s tensor.Shape) (*Array, tensor.View, error) {
	if err := s.Check(); err != nil {
		return nil, tensor.View{}, fmt.Errorf("engine: NewHostArray: %w", err)
	}
	m := newHostMemory(s.Clone())
	return NewArray(m), tensor.View{Shape: s.Clone(), Data: m.elements()}, nil
}

// HostArray copies a host array to an Array of NewHostArray.
func HostArray(ctx context.Context, v tensor.View) (*Array, error) {
	if err := cmp.Or(dispatch.Ended(ctx), v.Check()); err != nil {
		return nil, fmt.Errorf("engine: HostArray: %w", err)
	}
	a, memory, err := NewHostArray(v.Shape)
	copy(memory.Data, v.Data)
	return a, err
}

// OnHost reports whether the array is one of NewHostArray or BorrowHostArray.
func (a *Array) OnHost() bool {
	a.given("OnHost")
	_, ok := a.memory.(*hostMemory)
	return ok
}

// hostMemory is memory of Go for an array.
type hostMemory struct {
	Life
	shape    tensor.Shape
	all      []byte // what the array needs, and more
	borrowed bool   // all is a caller's
	pooled   bool   // all is used again for others
}

// Shape implements Memory.
func (m *hostMemory) Shape() tensor.Shape { return m.shape }

// Device implements Memory.
func (m *hostMemory) Device() int { return 0 }

func (m *hostMemory) elements() []byte {
	n := m.shape.NumBytes()
	return m.all[:n:n]
}

// InPlace implements Memory.
func (m *hostMemory) InPlace(ctx context.Context, _ Use) ([]byte, error) {
	return m.elements(), dispatch.Ended(ctx)
}

// Copy implements Memory.
func (m *hostMemory) Copy(ctx context.Context, _ Use) ([]byte, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	return bytes.Clone(m.elements()), nil
}

// View implements Memory.
func (m *hostMemory) View(ctx context.Context, u Use) ([]byte, io.Closer, error) {
	data, err := m.InPlace(ctx, u)
	return data, nil, err
}

// CopyToDevice implements Memory.
func (m *hostMemory) CopyToDevice(_ Use, device int) (*Array, error) {
	if device != 0 {
		return nil, fmt.Errorf("there is no device %d: the array is in the host's memory, which is device 0", device)
	}
	return HostArray(context.Background(), tensor.View{Shape: m.shape, Data: m.elements()})
}

// Borrowed implements Memory.
func (m *hostMemory) Borrowed() bool { return m.borrowed }

// Watched implements Memory.
func (m *hostMemory) Watched() (string, bool) { return "", false }

// NotClosed implements Memory.
func (m *hostMemory) NotClosed(string, error) {}

// Free implements Memory.
func (m *hostMemory) Free() error {
	if !m.pooled {
		return nil
	}
	pool, _ := spareHostMemory.LoadOrStore(len(m.all), new(sync.Pool))
	pool.(*sync.Pool).Put(&hostMemory{all: m.all, pooled: true})
	return nil
}

// spareHostMemory has memory that no Array uses: a *sync.Pool of *hostMemory for each size.
var spareHostMemory sync.Map

// newHostMemory returns memory for an array, which begins where a device can read it in place.
func newHostMemory(s tensor.Shape) *hostMemory {
	size := roundSize(s.NumBytes())
	pool, found := spareHostMemory.Load(size)
	if found {
		if spare, ok := pool.(*sync.Pool).Get().(*hostMemory); ok {
			spare.shape = s
			return spare
		}
	}
	return &hostMemory{shape: s, all: Aligned(size), pooled: true}
}

// roundSize returns one of eight sizes between two powers of two, so that arrays of about the same size share memory.
func roundSize(n int) int {
	n = max(n, Align)
	step := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + step - 1) &^ (step - 1)
}

// Aligned returns n zero bytes that a device can read in place; see [Align].
func Aligned(n int) []byte {
	data := make([]byte, n+Align)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(data))) & (Align - 1)
	return slices.Clip(data[skip:][:n])
}
