package bridge

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// NewHostBuffer returns a Buffer whose array is in the host's memory, and belongs to no client, with that memory. Its
// elements are not set: the caller writes them before anything uses the Buffer, and afterwards uses only the Buffer.
// Programs that run without a plugin take and return such Buffers: see package stages. They read them in place. The
// memory of one that is closed or was donated is used again for others.
func NewHostBuffer(s tensor.Shape) (*Buffer, tensor.View, error) {
	if err := s.Check(); err != nil {
		return nil, tensor.View{}, fmt.Errorf("bridge: NewHostBuffer: %w", err)
	}
	s = s.Clone()
	b := &Buffer{array: array{life: new(lifetime), host: newHostMemory(s.NumBytes()), shape: s}}
	b.ready.Store(true)
	return b, tensor.View{Shape: s.Clone(), Data: b.hostArray()}, nil
}

// HostBuffer copies a host array to a Buffer of NewHostBuffer.
func HostBuffer(ctx context.Context, v tensor.View) (*Buffer, error) {
	if err := cmp.Or(dispatch.Ended(ctx), v.Check()); err != nil {
		return nil, fmt.Errorf("bridge: HostBuffer: %w", err)
	}
	b, memory, err := NewHostBuffer(v.Shape)
	copy(memory.Data, v.Data)
	return b, err
}

// hostArray returns the array in the host's memory.
func (b *Buffer) hostArray() []byte {
	n := b.shape.NumBytes()
	return b.host.data[:n:n]
}

// copyOnHost is CopyToDevice in the host's memory.
func (b *Buffer) copyOnHost(device int) (*Buffer, error) {
	if device != 0 {
		return nil, fmt.Errorf("bridge: copy to device: there is no device %d: the array is in the host's memory, "+
			"which is device 0", device)
	}
	if !b.life.use() {
		return nil, fmt.Errorf("bridge: copy to device: %w", errBuffer)
	}
	defer func() { _ = b.done() }() // memory of the host is freed without an error
	return HostBuffer(context.Background(), tensor.View{Shape: b.shape, Data: b.hostArray()})
}

// hostMemory is memory of Go for an array.
type hostMemory struct{ data []byte }

// spareHostMemory has memory that no Buffer uses: a *sync.Pool of *hostMemory for each size.
var spareHostMemory sync.Map

// newHostMemory returns memory for n bytes, which begins where a device can read it in place.
func newHostMemory(n int) *hostMemory {
	n = roundSize(n)
	pool, found := spareHostMemory.Load(n)
	if found {
		if spare, ok := pool.(*sync.Pool).Get().(*hostMemory); ok {
			return spare
		}
	}
	data := make([]byte, n+borrowAlign)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(data))) & (borrowAlign - 1)
	return &hostMemory{data[skip:][:n:n]}
}

func (m *hostMemory) free() {
	pool, _ := spareHostMemory.LoadOrStore(len(m.data), new(sync.Pool))
	pool.(*sync.Pool).Put(m)
}

// roundSize returns one of eight sizes between two powers of two, so that arrays of about the same size share memory.
func roundSize(n int) int {
	n = max(n, borrowAlign)
	step := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + step - 1) &^ (step - 1)
}
