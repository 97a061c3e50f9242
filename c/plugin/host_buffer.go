package main

import (
	"fmt"
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
	return m.newBuffer(a), nil
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
		b, err := m.fromHost(unsafe.Pointer(a.Data.Get()), s, abi.List(a.ByteStrides, a.NumByteStrides))
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
		a.Buffer = handle(m.newBuffer(made))
		return nil
	})
}
