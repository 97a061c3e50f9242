package stages

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/tensor"
)

// A value is an array on the host, on a device, or on both.
type value struct {
	buffer *bridge.Buffer // nil if it is only on the host
	owned  bool           // the buffer is closed with the value
	uses   atomic.Int32   // by steps that have not run, and by results

	mu    sync.Mutex
	seen  *bridge.BufferView
	array tensor.View // on the host; its Shape is zero until it is known
	known bool
}

// onHost returns a value with one use, which is the caller's.
func onHost(array tensor.View) *value {
	v := &value{array: array, known: true}
	v.retain(1)
	return v
}

// onDevice returns a value with one use, which is the caller's. If owned is true, the buffer is closed
// with the value.
func onDevice(b *bridge.Buffer, owned bool) *value {
	v := &value{buffer: b, owned: owned}
	v.retain(1)
	return v
}

// host returns the array on the host. It must not be written to, and is valid until close.
func (v *value) host(ctx context.Context) (tensor.View, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known {
		return v.array, nil
	}
	view, err := v.buffer.View(ctx)
	if err != nil {
		return tensor.View{}, err
	}
	v.seen, v.array, v.known = view, view.Tensor(), true
	return v.array, nil
}

// input returns the value as an input of an execution on a client. If donate is true, nobody needs it
// afterwards.
func (v *value) input(ctx context.Context, client *bridge.Client, donate bool) (bridge.Input, error) {
	if v.buffer != nil && v.buffer.Client() == client {
		v.mu.Lock()
		defer v.mu.Unlock()
		if donate && v.owned && v.seen == nil {
			v.owned = false // the execution closes it
			return bridge.Donate(v.buffer), nil
		}
		return v.buffer, nil
	}
	view, err := v.host(ctx)
	if err != nil {
		return nil, err
	}
	return bridge.Borrow(view), nil
}

// shape returns the shape.
func (v *value) shape() tensor.Shape {
	if v.buffer != nil {
		return v.buffer.Shape()
	}
	return v.array.Shape
}

// retain adds uses. The value is closed when the last one is released.
func (v *value) retain(n int) { v.uses.Add(int32(n)) }

func retain(values ...*value) {
	for _, v := range values {
		v.retain(1)
	}
}

func release(values ...*value) {
	for _, v := range values {
		v.drop(1)
	}
}

// drop releases uses.
func (v *value) drop(n int) {
	if v.uses.Add(int32(-n)) == 0 {
		_ = v.close() // what is left belongs to a client that is closed
	}
}

// take returns the buffer of a value that nobody else uses, for the caller to close, or nil if there is none.
func (v *value) take() *bridge.Buffer {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.owned || v.seen != nil || v.uses.Load() != 1 {
		return nil
	}
	v.owned = false
	return v.buffer
}

// close releases the memory of the value.
func (v *value) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	if v.seen != nil {
		errs = append(errs, v.seen.Close())
		v.seen = nil
	}
	if v.owned && v.buffer != nil {
		errs = append(errs, v.buffer.Close())
		v.owned = false
	}
	return errors.Join(errs...)
}

// align is the alignment of arrays that a device can read in place; see bridge.Borrow.
const align = 64

// newArray returns an array of zeros that a device can read in place.
func newArray(s tensor.Shape) tensor.View {
	n := s.NumBytes()
	memory := make([]byte, n+align)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & (align - 1)
	return tensor.View{Shape: s, Data: memory[skip:][:n:n]}
}
