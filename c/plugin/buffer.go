package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// A buffer is an array on the device, or a token.
type buffer struct {
	memory
	space *space
	shape tensor.Shape
	dims  abi.Ptr[int64]

	mu    sync.Mutex
	array *engine.Array // nil if it was deleted or donated
	views []io.Closer   // one for each reference of others
}

func (s *space) newBuffer(a *engine.Array) *buffer {
	b := &buffer{space: s, shape: a.Shape(), array: a}
	b.dims = copied(&b.memory, int64s(b.shape.Dims))
	return b
}

// newToken returns a buffer without elements, for a token.
func (s *space) newToken() *buffer {
	return &buffer{space: s, shape: tensor.ShapeOf(tensor.Token)}
}

func int64s(list []int) []int64 {
	made := make([]int64, len(list))
	for i, n := range list {
		made[i] = int64(n)
	}
	return made
}

// take returns the array, which stays the buffer's.
func (b *buffer) take() (*engine.Array, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil {
		return nil, errDeleted
	}
	return b.array, nil
}

// view returns the elements where they are. The caller must close the view.
func (b *buffer) view() (*engine.View, error) {
	a, err := b.take()
	if err != nil {
		return nil, err
	}
	return a.View(context.Background())
}

var errDeleted = errors.New("the buffer was deleted or donated")

// delete closes the array. References of others go on.
func (b *buffer) delete() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil {
		return nil
	}
	err := b.array.Close()
	b.array = nil
	return err
}

func (b *buffer) free() {
	_ = b.delete()
	for _, end := range b.views {
		_ = end.Close()
	}
	b.memory.free()
}

// refer adds a reference to the elements, which stay where they are until it is ended.
func (b *buffer) refer() error {
	v, err := b.view()
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.views = append(b.views, v)
	b.mu.Unlock()
	return nil
}

func (b *buffer) unrefer() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.views) == 0 {
		return fmt.Errorf("%w: there is no reference to end", errMistaken)
	}
	end := b.views[len(b.views)-1]
	b.views = b.views[:len(b.views)-1]
	return end.Close()
}

// elements returns the address of the elements.
func (b *buffer) elements() (abi.Ptr[byte], error) {
	v, err := b.view()
	if err != nil {
		return 0, err
	}
	defer v.Close()
	return abi.To(unsafe.SliceData(v.Tensor().Data)), nil
}

// toHost copies the elements to the caller's memory.
func (b *buffer) toHost(to []byte, order []int64) error {
	v, err := b.view()
	if err != nil {
		return err
	}
	defer v.Close()
	from := v.Tensor().Data
	if len(to) < len(from) {
		return fmt.Errorf("%w: the array takes %d bytes, and there is room for %d", errMistaken, len(from), len(to))
	}
	scatter(to, from, b.shape, order)
	return nil
}

func init() {
	on(abi.BufferDestroy, func(a *abi.BufferDestroyArgs) error { return destroy[*buffer](a.Buffer) })
	on(abi.BufferElementType, func(a *abi.BufferElementTypeArgs) error {
		a.Type = elementType(object[*buffer](a.Buffer).shape)
		return nil
	})
	on(abi.BufferDimensions, func(a *abi.BufferDimensionsArgs) error {
		b := object[*buffer](a.Buffer)
		a.Dims, a.NumDims = b.dims, len(b.shape.Dims)
		return nil
	})
	on(abi.BufferUnpaddedDimensions, func(a *abi.BufferUnpaddedDimensionsArgs) error {
		b := object[*buffer](a.Buffer)
		a.UnpaddedDims, a.NumDims = b.dims, len(b.shape.Dims)
		return nil
	})
	on(abi.BufferDynamicDimensionIndices, func(a *abi.BufferDynamicDimensionIndicesArgs) error {
		object[*buffer](a.Buffer)
		a.DynamicDimIndices, a.NumDynamicDims = 0, 0
		return nil
	})
	on(abi.BufferGetMemoryLayout, func(a *abi.BufferGetMemoryLayoutArgs) error {
		b := object[*buffer](a.Buffer)
		a.Layout = abi.RowMajor(copied(&b.memory, descending(b.shape.Rank())), b.shape.Rank())
		return nil
	})
	on(abi.BufferOnDeviceSizeInBytes, func(a *abi.BufferOnDeviceSizeInBytesArgs) error {
		a.OnDeviceSizeInBytes = object[*buffer](a.Buffer).shape.NumBytes()
		return nil
	})
	on(abi.BufferDevice, func(a *abi.BufferDeviceArgs) error {
		a.Device = object[*buffer](a.Buffer).space.device.self
		return nil
	})
	on(abi.BufferMemory, func(a *abi.BufferMemoryArgs) error {
		a.Memory = object[*buffer](a.Buffer).space.self
		return nil
	})
	on(abi.BufferDelete, func(a *abi.BufferDeleteArgs) error { return object[*buffer](a.Buffer).delete() })
	on(abi.BufferIsDeleted, func(a *abi.BufferIsDeletedArgs) error {
		b := object[*buffer](a.Buffer)
		b.mu.Lock()
		defer b.mu.Unlock()
		a.IsDeleted = b.array == nil && b.shape.DType != tensor.Token
		return nil
	})
	on(abi.BufferCopyToDevice, func(a *abi.BufferCopyToDeviceArgs) (err error) {
		a.DstBuffer, err = copyTo(object[*buffer](a.Buffer), object[*device](a.DstDevice).spaces[0])
		return err
	})
	on(abi.BufferCopyToMemory, func(a *abi.BufferCopyToMemoryArgs) (err error) {
		a.DstBuffer, err = copyTo(object[*buffer](a.Buffer), object[*space](a.DstMemory))
		return err
	})
	on(abi.BufferToHostBuffer, func(a *abi.BufferToHostBufferArgs) error {
		b := object[*buffer](a.Src)
		order, err := abi.MinorToMajor(a.HostLayout, b.shape.Rank())
		if err != nil {
			return fmt.Errorf("%w: %w", errMistaken, err)
		}
		if a.Dst == 0 {
			a.DstSize = b.shape.NumBytes()
			return nil
		}
		if err := b.toHost(abi.Bytes(a.Dst, a.DstSize), order); err != nil {
			return err
		}
		a.Event = over()
		return nil
	})
	on(abi.BufferCopyRawToHost, func(a *abi.BufferCopyRawToHostArgs) error {
		v, err := object[*buffer](a.Buffer).view()
		if err != nil {
			return err
		}
		defer v.Close()
		from := v.Tensor().Data
		if a.Offset < 0 || a.TransferSize < 0 || a.Offset > int64(len(from)) ||
			a.TransferSize > int64(len(from))-a.Offset {
			return fmt.Errorf("%w: %d bytes from %d on are more than the array's %d", errMistaken, a.TransferSize,
				a.Offset, len(from))
		}
		copy(abi.Bytes(a.Dst, int(a.TransferSize)), from[a.Offset:])
		a.Event = over()
		return nil
	})
	on(abi.BufferIsOnCpu, func(a *abi.BufferIsOnCpuArgs) error {
		_, a.IsOnCpu = object[*buffer](a.Buffer), true
		return nil
	})
	on(abi.BufferReadyEvent, func(a *abi.BufferReadyEventArgs) error {
		object[*buffer](a.Buffer)
		a.Event = over()
		return nil
	})
	on(abi.BufferUnsafePointer, func(a *abi.BufferUnsafePointerArgs) error {
		p, err := object[*buffer](a.Buffer).elements()
		a.BufferPointer = uint64(p)
		return err
	})
	on(abi.BufferOpaqueDeviceMemoryDataPointer, func(a *abi.BufferOpaqueDeviceMemoryDataPointerArgs) (err error) {
		a.DeviceMemoryPtr, err = object[*buffer](a.Buffer).elements()
		return err
	})
	on(abi.BufferIncreaseExternalReferenceCount, func(a *abi.BufferIncreaseExternalReferenceCountArgs) error {
		return object[*buffer](a.Buffer).refer()
	})
	on(abi.BufferDecreaseExternalReferenceCount, func(a *abi.BufferDecreaseExternalReferenceCountArgs) error {
		return object[*buffer](a.Buffer).unrefer()
	})
}

func copyTo(b *buffer, to *space) (abi.Handle, error) {
	a, err := b.take()
	if err != nil {
		return 0, err
	}
	v, err := a.ToHost(context.Background())
	if err != nil {
		return 0, err
	}
	made, err := engine.OwnHostArray(v)
	if err != nil {
		return 0, err
	}
	return handle(to.newBuffer(made)), nil
}
