package bridge

import (
	"errors"
	"fmt"
)

// CopyToDevice copies the array to a device of the same client. It does not wait for the copy, nor for
// the array to be computed: what uses the copy does. The buffer may be closed at once.
func (b *Buffer) CopyToDevice(device int) (*Buffer, error) {
	b.given("CopyToDevice")
	const op = "copy to device"
	c := b.client
	switch {
	case device < 0 || device >= c.NumDevices():
		return nil, fmt.Errorf("bridge: %s: there is no device %d; the client has %d, numbered from 0", op, device, c.NumDevices())
	case b.order != nil:
		return nil, fmt.Errorf("bridge: %s: the array is not row-major on its device (the order of its dimensions is %v), because the module that computed it has mhlo.layout_mode: remove that, or copy the result of ToHost", op, b.order)
	}
	if err := c.use("CopyToDevice"); err != nil {
		return nil, err
	}
	made, err := b.copyToDevice(device)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bridge: %s: %w", op, err), c.done())
	}
	return watched(made, nil)
}

// copyToDevice takes over one use of the client if it succeeds.
func (b *Buffer) copyToDevice(device int) (*Buffer, error) {
	if !b.life.use() {
		return nil, errBuffer
	}
	size := deviceBytes(b.shape)
	if err := b.client.memory.reserve("copy to device", 1, size, 0); err != nil {
		return nil, errors.Join(err, b.done())
	}
	copied, err := b.client.pjrt.CopyTo(b.pjrt, device)
	if err != nil {
		b.client.memory.release(1, size)
		return nil, errors.Join(err, b.done())
	}
	made := &Buffer{array: array{life: new(lifetime), client: b.client, pjrt: copied, shape: b.shape.Clone()}, device: device, asked: b.asked}
	return made, b.done()
}
