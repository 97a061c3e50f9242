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
	ready *wait // until the array is computed
	lent  *wait // until nothing reads the memory of the caller, which the array is in; nil for memory of its own

	mu      sync.Mutex
	array   *engine.Array // nil if it is not computed, or closed
	deleted bool          // or donated
	users   int           // of the array
	views   []io.Closer   // one for each reference of others
}

// newBuffer returns a buffer without an array.
func (s *space) newBuffer(shape tensor.Shape) *buffer {
	b := &buffer{space: s, shape: shape}
	b.dims = copied(&b.memory, int64s(b.shape.Dims))
	return b
}

// with returns a new buffer of an array.
func (s *space) with(a *engine.Array) *buffer {
	b := s.newBuffer(a.Shape())
	b.set(a)
	return b
}

// set gives the buffer its array, which it takes over.
func (b *buffer) set(a *engine.Array) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array = a; !a.Borrowed() {
		b.space.device.hold(b.shape.NumBytes())
	}
	b.settle()
}

func int64s(list []int) []int64 {
	made := make([]int64, len(list))
	for i, n := range list {
		made[i] = int64(n)
	}
	return made
}

var errDeleted = errors.New("the buffer was deleted or donated")

// take keeps the array until giveBack.
func (b *buffer) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deleted {
		return errDeleted
	}
	b.users++
	return nil
}

func (b *buffer) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users--
	b.settle()
}

// delete makes the buffer one without an array for all who do not have it. References of others go on.
func (b *buffer) delete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deleted = true
	b.settle()
}

// settle closes the array if nobody needs it. The buffer is locked.
func (b *buffer) settle() {
	if !b.deleted || b.users > 0 {
		return
	}
	if b.array != nil {
		if !b.array.Borrowed() {
			b.space.device.hold(-b.shape.NumBytes())
		}
		_ = b.array.Close() // which a run that was given it has done already
		b.array = nil
	}
	if len(b.views) == 0 && b.lent != nil && !b.lent.isOver() {
		b.lent.end(nil)
	}
}

// computed returns the array, which the caller has taken, when it is computed.
func (b *buffer) computed() (*engine.Array, error) {
	if err := b.ready.until(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.array, nil
}

// canGive reports whether a run may have the memory of the array, which is taken, computed and deleted: whether it is
// not the caller's, and nobody else reads it.
func (b *buffer) canGive() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lent == nil && b.users == 1 && len(b.views) == 0
}

// view calls f with the elements where they are, when they are computed. f takes over the view. No run is given the
// memory before f returns.
func (b *buffer) view(f func(v *engine.View) error) error {
	if err := b.take(); err != nil {
		return err
	}
	defer b.giveBack()
	a, err := b.computed()
	if err != nil {
		return err
	}
	v, err := a.View(context.Background())
	if err != nil {
		return err
	}
	return f(v)
}

// read calls f with the elements where they are.
func (b *buffer) read(f func(data []byte) error) error {
	return b.view(func(v *engine.View) error {
		defer v.Close()
		return f(v.Tensor().Data)
	})
}

func (b *buffer) free() {
	for b.unrefer() == nil {
	}
	b.delete()
	b.memory.free()
}

// refer adds a reference to the elements, which stay where they are until it is ended.
func (b *buffer) refer() error {
	return b.view(func(v *engine.View) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.views = append(b.views, v)
		return nil
	})
}

func (b *buffer) unrefer() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.views) == 0 {
		return fmt.Errorf("%w: there is no reference to end", errMistaken)
	}
	end := b.views[len(b.views)-1]
	b.views = b.views[:len(b.views)-1]
	defer b.settle()
	return end.Close()
}

// elements returns the address of the elements.
func (b *buffer) elements() (p abi.Ptr[byte], err error) {
	err = b.read(func(data []byte) error {
		p = abi.To(unsafe.SliceData(data))
		return nil
	})
	return p, err
}

// toHost copies the elements to the caller's memory.
func (b *buffer) toHost(to []byte, order []int64) error {
	return b.read(func(from []byte) error {
		if len(to) < len(from) {
			return fmt.Errorf("%w: the array takes %d bytes, and there is room for %d", errMistaken, len(from), len(to))
		}
		scatter(to, from, b.shape, order)
		return nil
	})
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
	on(abi.BufferDelete, func(a *abi.BufferDeleteArgs) error {
		object[*buffer](a.Buffer).delete()
		return nil
	})
	on(abi.BufferIsDeleted, func(a *abi.BufferIsDeletedArgs) error {
		b := object[*buffer](a.Buffer)
		b.mu.Lock()
		defer b.mu.Unlock()
		a.IsDeleted = b.deleted
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
		return object[*buffer](a.Buffer).read(func(from []byte) error {
			if a.Offset < 0 || a.TransferSize < 0 || a.Offset > int64(len(from)) ||
				a.TransferSize > int64(len(from))-a.Offset {
				return fmt.Errorf("%w: %d bytes from %d on are more than the array's %d", errMistaken, a.TransferSize,
					a.Offset, len(from))
			}
			copy(abi.Bytes(a.Dst, int(a.TransferSize)), from[a.Offset:])
			a.Event = over()
			return nil
		})
	})
	on(abi.BufferIsOnCpu, func(a *abi.BufferIsOnCpuArgs) error {
		_, a.IsOnCpu = object[*buffer](a.Buffer), true
		return nil
	})
	on(abi.BufferReadyEvent, func(a *abi.BufferReadyEventArgs) error {
		a.Event = handle(event{object[*buffer](a.Buffer).ready})
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

// copyTo makes a copy, which is computed once the buffer is.
func copyTo(b *buffer, to *space) (abi.Handle, error) {
	if err := b.take(); err != nil {
		return 0, err
	}
	made := to.newBuffer(b.shape)
	copying := func() error {
		defer b.giveBack()
		a, err := b.computed()
		if err != nil || a == nil { // a token
			return err
		}
		host, err := a.ToHost(context.Background())
		if err != nil {
			return err
		}
		if a, err = engine.OwnHostArray(host); err == nil {
			made.set(a)
		}
		return err
	}
	if !b.ready.isOver() {
		made.ready = newWait()
		go func() { made.ready.end(protect(copying)) }()
		return handle(made), nil
	}
	if err := copying(); err != nil {
		made.free()
		return 0, err
	}
	return handle(made), nil
}
