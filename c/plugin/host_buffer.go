package main

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// fromHost copies an array of the caller. strides are the distances in bytes of its elements; none is row-major.
func (m *space) fromHost(data unsafe.Pointer, s tensor.Shape, strides []int64) (*buffer, error) {
	a, to, err := engine.NewHostArray(s)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMistaken, err)
	}
	switch {
	case s.NumElements() == 0:
	case len(strides) == 0:
		copy(to.Data, unsafe.Slice((*byte)(data), len(to.Data)))
	default:
		size, i := s.DType.Size(), 0
		each(s.Dims, strides, func(at int64) {
			copy(to.Data[i:], unsafe.Slice((*byte)(unsafe.Add(data, at)), size))
			i += size
		})
	}
	return m.with(a), nil
}

// canLend reports whether an array of the caller can be used where it is.
func canLend(data unsafe.Pointer, s tensor.Shape, strides []int64) bool {
	return s.NumElements() > 0 && uintptr(data)%engine.Align == 0 &&
		(len(strides) == 0 || slices.Equal(strides, stridesOf(s, descending(s.Rank()))))
}

// lend returns a buffer in the memory of the caller, which stays as it is until lent is closed.
func (m *space) lend(data unsafe.Pointer, s tensor.Shape) (*buffer, error) {
	a, err := engine.BorrowHostArray(tensor.View{Shape: s, Data: unsafe.Slice((*byte)(data), s.NumBytes())})
	if err != nil {
		return nil, err
	}
	b := m.with(a)
	b.lent = newWait()
	return b, nil
}

func shapeOf(t abi.BufferType, dims []int64) (tensor.Shape, error) {
	d, err := dtypeOf(t)
	if err != nil {
		return tensor.Shape{}, err
	}
	list := make([]int, len(dims))
	for i, n := range dims {
		list[i] = int(n)
	}
	s := tensor.ShapeOf(d, list...)
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("%w: %w", errMistaken, err)
	}
	return s, nil
}

func init() {
	on(abi.ClientBufferFromHostBuffer, func(a *abi.ClientBufferFromHostBufferArgs) error {
		m, err := object[*client](a.Client).spaceOf(a.Device, a.Memory)
		if err != nil {
			return err
		}
		s, err := shapeOf(a.Type, abi.List(a.Dims, a.NumDims))
		if err != nil {
			return err
		}
		if n := a.NumByteStrides; n != 0 && n != s.Rank() {
			return fmt.Errorf("%w: there are %d strides, and the array has %d dimensions", errMistaken, n, s.Rank())
		}
		if a.DeviceLayout != 0 {
			if _, err := abi.MinorToMajor(a.DeviceLayout, s.Rank()); err != nil { // the device chooses its layout
				return fmt.Errorf("%w: %w", errMistaken, err)
			}
		}
		data, strides := unsafe.Pointer(a.Data.Get()), abi.List(a.ByteStrides, a.NumByteStrides)
		if a.HostBufferSemantics >= abi.HostBufferSemanticsKImmutableZeroCopy && canLend(data, s, strides) {
			b, err := m.lend(data, s)
			if err == nil {
				a.Buffer, a.DoneWithHostBuffer = handle(b), handle(event{b.lent})
			}
			return err
		}
		b, err := m.fromHost(data, s, strides)
		if err != nil {
			return err
		}
		a.Buffer, a.DoneWithHostBuffer = handle(b), over()
		return nil
	})
	on(abi.ClientCreateUninitializedBuffer, func(a *abi.ClientCreateUninitializedBufferArgs) error {
		m, err := object[*client](a.Client).spaceOf(a.Device, a.Memory)
		if err != nil {
			return err
		}
		s, err := shapeOf(a.ShapeElementType, abi.List(a.ShapeDims, a.ShapeNumDims))
		if err != nil {
			return err
		}
		made, _, err := engine.NewHostArray(s)
		if err != nil {
			return err
		}
		a.Buffer = handle(m.with(made))
		return nil
	})
}
