package gomlx

import (
	"context"
	stderrors "errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// buffer is an array on a device.
type buffer struct {
	backend *Backend
	*engine.Array

	mu   sync.Mutex
	flat any          // what Data returned or NewSharedBuffer made
	view *engine.View // that Data has opened
}

var _ compute.Buffer = (*buffer)(nil)

// BufferFromFlatData copies an array of the host to a device.
func (b *Backend) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	view, err := viewOf(flat, shape)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	made, err := b.session.ArrayFromHost(context.Background(), view, int(device))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return &buffer{backend: b, Array: made}, nil
}

// HasSharedBuffers reports whether the devices use the memory of the host: those of a CPU do.
func (b *Backend) HasSharedBuffers() bool { return b.shared }

// NewSharedBuffer returns a buffer of memory that the program may change when no execution uses it. Elements of less
// than a byte, which XLA does not pack, are copied for each execution.
func (b *Backend) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	s, err := toTensor(shape)
	if err != nil {
		return nil, nil, errors.WithStack(err)
	}
	memory := engine.Aligned(s.NumBytes())
	view := tensor.View{Shape: s, Data: memory}
	var made *engine.Array
	if b.onHost() {
		made, err = engine.OwnHostArray(view) // which can be donated
	} else {
		made, err = b.session.Engine().BorrowFromHost(context.Background(), view, int(device))
	}
	if err != nil {
		return nil, nil, errors.WithStack(err)
	}
	flat := flatOf(memory, shape) // of packed elements its beginning
	return &buffer{backend: b, Array: made, flat: flat}, flat, nil
}

// flatOf returns the elements in memory as a slice of GoMLX.
func flatOf(memory []byte, s shapes.Shape) any {
	if s.Size() == 0 {
		return dtypes.MakeAnySlice(s.DType, 0)
	}
	return dtypes.UnsafeAnySliceFromBytes(unsafe.Pointer(unsafe.SliceData(memory)), s.DType, s.Size())
}

// Backend returns the backend of the buffer.
func (b *buffer) Backend() compute.Backend { return b.backend }

// Finalize frees the array. Finalizing it again does nothing.
func (b *buffer) Finalize() error { return errors.WithStack(stderrors.Join(b.closeView(), b.Close())) }

// closeView ends what Data returned.
func (b *buffer) closeView() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flat = nil
	if b.view == nil {
		return nil
	}
	view := b.view
	b.view = nil
	return view.Close()
}

// Shape returns the shape of the array.
func (b *buffer) Shape() (shapes.Shape, error) { return fromTensor(b.Array.Shape()), nil }

// DeviceNum returns the device that the array is on.
func (b *buffer) DeviceNum() (compute.DeviceNum, error) { return compute.DeviceNum(b.Device()), nil }

// ToFlatData copies the array to a slice.
func (b *buffer) ToFlatData(flat any) error {
	shape := fromTensor(b.Array.Shape())
	to, err := viewOf(flat, shape)
	if err == nil {
		err = b.CopyTo(context.Background(), to)
	}
	if err == nil && shape.DType.IsPacked() {
		pack(dtypes.UnsafeByteSliceFromAny(flat), to.Data, to.Shape.DType)
	}
	return errors.WithStack(err)
}

// Data returns the memory of the array, until Finalize. That of elements of less than a byte is a packed copy, which
// takes the place of the array.
func (b *buffer) Data() (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flat != nil {
		return b.flat, nil
	}
	if !b.backend.shared {
		return nil, errors.WithStack(fmt.Errorf("%s: the devices have memories of their own: use ToFlatData", Name))
	}
	view, err := b.View(context.Background())
	if err != nil {
		return nil, errors.WithStack(err)
	}
	data, shape := view.Tensor().Data, fromTensor(b.Array.Shape())
	if shape.DType.IsPacked() {
		packed := make([]byte, shape.ByteSize())
		pack(packed, data, view.Tensor().Shape.DType)
		b.flat = packed
		return b.flat, errors.WithStack(view.Close())
	}
	b.view, b.flat = view, flatOf(data, shape)
	return b.flat, nil
}

// input returns the buffer as an input of an execution, and ends it if it is donated.
func (b *buffer) input(donate bool) (in engine.Input, done func() error, err error) {
	shape := fromTensor(b.Array.Shape())
	b.mu.Lock()
	flat := b.flat
	b.mu.Unlock()
	switch {
	case shape.DType.IsPacked() && flat != nil:
		in, err = viewOf(flat, shape)
	case donate && !b.Borrowed():
		return engine.Donate(b.Array), nil, b.closeView()
	default:
		in = b.Array
	}
	if donate {
		done = b.Finalize
	}
	return in, done, err
}

// CopyToDevice copies the array to another device.
func (b *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	made, err := b.Array.CopyToDevice(int(device))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return &buffer{backend: b.backend, Array: made}, nil
}
