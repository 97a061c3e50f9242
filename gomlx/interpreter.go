package gomlx

import (
	"context"
	"fmt"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// hostBuffer is an array of a backend whose programs run on the interpreter, which has no device.
type hostBuffer struct {
	backend *Backend
	shape   shapes.Shape

	mu   sync.Mutex
	flat any // the elements as GoMLX has them, nil after Finalize
}

var _ compute.Buffer = (*hostBuffer)(nil)

// interprets reports whether programs run on the interpreter.
func (b *Backend) interprets() bool { return b.client() == nil }

// newHostBuffer returns a copy of elements, or zeros without any.
func (b *Backend) newHostBuffer(flat any, device compute.DeviceNum, shape shapes.Shape) (*hostBuffer, error) {
	switch {
	case b.IsFinalized():
		return nil, errors.WithStack(fmt.Errorf("%s: the backend is %w", Name, bridge.ErrClosed))
	case device != 0:
		return nil, errors.WithStack(fmt.Errorf("%s: there is no device %d: the interpreter has only device 0", Name, device))
	}
	if _, err := toTensor(shape); err != nil {
		return nil, errors.WithStack(err)
	}
	own := dtypes.MakeAnySlice(shape.DType, shape.Size())
	if flat != nil {
		if _, err := viewOf(flat, shape); err != nil {
			return nil, errors.WithStack(err)
		}
		copy(dtypes.UnsafeByteSliceFromAny(own), dtypes.UnsafeByteSliceFromAny(flat))
	}
	return &hostBuffer{backend: b, shape: shape, flat: own}, nil
}

// Backend returns the backend of the buffer.
func (b *hostBuffer) Backend() compute.Backend { return b.backend }

// Finalize frees the array. Finalizing it again does nothing.
func (b *hostBuffer) Finalize() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flat = nil
	return nil
}

// Shape returns the shape of the array.
func (b *hostBuffer) Shape() (shapes.Shape, error) { return b.shape, nil }

// DeviceNum returns 0.
func (b *hostBuffer) DeviceNum() (compute.DeviceNum, error) { return 0, nil }

// Data returns the elements.
func (b *hostBuffer) Data() (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flat == nil {
		return nil, errors.WithStack(fmt.Errorf("%s: the buffer is %w", Name, bridge.ErrClosed))
	}
	return b.flat, nil
}

// ToFlatData copies the array to a slice.
func (b *hostBuffer) ToFlatData(flat any) error {
	own, err := b.Data()
	if err != nil {
		return err
	}
	if _, err := viewOf(flat, b.shape); err != nil {
		return errors.WithStack(err)
	}
	copy(dtypes.UnsafeByteSliceFromAny(flat), dtypes.UnsafeByteSliceFromAny(own))
	return nil
}

// CopyToDevice copies the array to device 0, the only one.
func (b *hostBuffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	own, err := b.Data()
	if err != nil {
		return nil, err
	}
	return b.backend.newHostBuffer(own, device, b.shape)
}

// interpreted is a program of the interpreter.
type interpreted struct {
	stages.Executable
	called *called
	closed sync.Once
}

// interpret compiles a module for the interpreter, or by package jit on a platform without a plugin.
func (b *builder) interpret(m *mlir.Module) (stages.Executable, error) {
	p, err := m.Context().NewPassManager(mlir.PassManagerOptions{
		Pipeline: "builtin.module(func.func(chlo-legalize-to-stablehlo))",
	})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.Run(m); err != nil {
		return nil, err
	}
	options := stages.Options{Replicas: b.devices, Devices: b.backend.session.Devices()}
	made, err := stages.Compile(context.Background(), m, options)
	if err != nil {
		return nil, err
	}
	b.called.keep()
	return &interpreted{Executable: made, called: b.called}, nil
}

// Close frees the program.
func (p *interpreted) Close() error {
	p.closed.Do(p.called.drop)
	return p.Executable.Close()
}

// interpret runs a program on the interpreter.
func (e *executable) interpret(
	ctx context.Context, run stages.Executable, inputs []compute.Buffer, donate []bool,
) ([]compute.Buffer, error) {
	if e.backend.IsFinalized() {
		return nil, fmt.Errorf("the backend is %w", bridge.ErrClosed)
	}
	views := make([]tensor.View, len(inputs))
	for i, input := range inputs {
		b, ok := input.(*hostBuffer)
		if !ok || b == nil {
			return nil, errOther(i, input)
		}
		flat, err := b.Data()
		if err == nil {
			views[i], err = viewOf(flat, b.shape)
		}
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		if donate != nil && donate[i] {
			_ = b.Finalize() // it has no error
		}
	}
	results, err := run.Call(ctx, views...)
	if err != nil {
		return nil, err
	}
	outputs := make([]compute.Buffer, len(results))
	for i, r := range results {
		shape := fromTensor(r.Shape)
		flat := dtypes.MakeAnySlice(shape.DType, shape.Size())
		if memory := dtypes.UnsafeByteSliceFromAny(flat); shape.DType.IsPacked() {
			pack(memory, r.Data, r.Shape.DType)
		} else {
			copy(memory, r.Data)
		}
		outputs[i] = &hostBuffer{backend: e.backend, shape: shape, flat: flat}
	}
	return outputs, nil
}

func errOther(i int, input compute.Buffer) error {
	return fmt.Errorf("input %d is a %T of another backend", i, input)
}
