package bridge

import (
	"errors"
	"fmt"

	"github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/tensor"
)

// Buffer is an array on a device. Whoever gets one closes it. It is safe for
// concurrent use.
type Buffer struct {
	client *Client
	pjrt   *pjrt.Buffer
	shape  tensor.Shape
	device int
	life   lifetime
}

// Buffer copies a host array to a device; the view's memory is not used any more
// when Buffer returns.
func (c *Client) Buffer(v tensor.View, device int) (*Buffer, error) {
	if err := c.use("Buffer"); err != nil {
		return nil, err
	}
	wrapped, err := c.transfer(v, device)
	if err != nil {
		_ = c.done() // the error of the transfer says more
		return nil, err
	}
	shape := tensor.Shape{DType: v.Shape.DType, Dims: append([]int(nil), v.Shape.Dims...)}
	return &Buffer{client: c, pjrt: wrapped, shape: shape, device: device}, nil
}

// transfer copies a host array to a device.
func (c *Client) transfer(v tensor.View, device int) (*pjrt.Buffer, error) {
	if err := v.Shape.Check(); err != nil {
		return nil, fmt.Errorf("bridge: transfer to device: %w", err)
	}
	if want := v.Shape.NumBytes(); len(v.Data) != want {
		return nil, fmt.Errorf("bridge: transfer to device: the view of a %s has %d bytes and needs %d", v.Shape, len(v.Data), want)
	}
	dtype, ok := toPJRT[v.Shape.DType]
	if !ok || v.Shape.DType == tensor.Token {
		return nil, fmt.Errorf("bridge: transfer to device: arrays of %s cannot be on a device", v.Shape.DType)
	}
	if device < 0 || device >= c.NumDevices() {
		return nil, fmt.Errorf("bridge: transfer to device: there is no device %d; the client has %d, numbered from 0", device, c.NumDevices())
	}
	data := v.Data
	if len(data) == 0 {
		data = make([]byte, 0, 1) // PJRT wants an address even for no bytes
	}
	b, err := c.pjrt.BufferFromHost().FromRawData(data, dtype, v.Shape.Dims).ToDeviceNum(device).Done()
	if err != nil {
		return nil, pluginError("transfer to device", err)
	}
	return b, nil
}

// Shape is the shape of the array, also after Close.
func (b *Buffer) Shape() tensor.Shape { return b.shape }

// Device is the number of the device that the array is on.
func (b *Buffer) Device() int { return b.device }

// ToHost copies the array to the host, when it is computed.
func (b *Buffer) ToHost() (tensor.View, error) {
	if !b.life.use() {
		return tensor.View{}, errors.New("bridge: Buffer.ToHost: the buffer is closed or was donated")
	}
	data := make([]byte, b.shape.NumBytes(), max(1, b.shape.NumBytes()))
	err := b.pjrt.ToHost(data)
	if err != nil {
		err = pluginError("transfer to host", err)
	}
	if err = errors.Join(err, b.done()); err != nil {
		return tensor.View{}, err
	}
	extendSign(b.shape.DType, data)
	return tensor.View{Shape: b.shape, Data: data}, nil
}

// Close frees the array, once no run uses it any more. Closing again does
// nothing.
func (b *Buffer) Close() error {
	if _, free := b.life.close(); free {
		return b.free()
	}
	return nil
}

func (b *Buffer) done() error {
	if b.life.done() {
		return b.free()
	}
	return nil
}

func (b *Buffer) free() error {
	err := b.pjrt.Destroy()
	if err != nil {
		err = pluginError("close buffer", err)
	}
	return errors.Join(err, b.client.done())
}
