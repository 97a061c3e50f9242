package bridge

import (
	"errors"
	"fmt"
)

// Share returns a second Buffer of the same array, which the caller must close, too. The array is
// freed when both are closed. The second one cannot be donated, and the first one not as long as
// the second one is open.
func (b *Buffer) Share() (*Buffer, error) {
	b.given("Share")
	if !b.life.use() {
		return nil, fmt.Errorf("bridge: Buffer.Share: %w", errBuffer)
	}
	second := b.handle()
	second.of = b
	return watched(second, nil)
}

// Take takes the array out of the donated buffer, which is closed, and returns it in a new Buffer,
// which the caller must close. It is for code that is given an [Input] and executes several
// modules with it.
func (d Donation) Take() (*Buffer, error) {
	taken, _, err := TakeAll(d)
	if err != nil {
		return nil, err
	}
	return taken[0], nil
}

// TakeAll is Take for several donations. With an error, which is that of donations[refused], all of the buffers are as
// before.
func TakeAll(donations ...Donation) (taken []*Buffer, refused int, err error) {
	for i, d := range donations {
		if err := d.claim(); err != nil {
			for _, earlier := range donations[:i] {
				earlier.buffer.life.unclaim()
			}
			return nil, i, err
		}
	}
	taken = make([]*Buffer, len(donations))
	for i, d := range donations {
		forgottenArrays.Drop(&d.buffer.guard)
		taken[i], _ = watched(d.buffer.handle(), nil)
	}
	return taken, 0, nil
}

// Buffer returns the donated buffer.
func (d Donation) Buffer() *Buffer { return d.buffer }

func (d Donation) claim() error {
	if d.buffer == nil {
		return errors.New("the donated buffer is nil")
	}
	d.buffer.given("Take")
	return d.buffer.claim()
}

// claim begins the only use of a buffer that is donated, and closes it.
func (b *Buffer) claim() error {
	switch {
	case b.loan != nil:
		return errors.New("the donated buffer is a borrowed host array, which must not be written to; make it with Client.BufferFromHost")
	case b.of != nil:
		return errors.New("the donated buffer shares its array with another one, see Buffer.Share; donate that one")
	case b.life.claim():
		return nil
	case b.life.closed():
		return fmt.Errorf("the donated buffer is %w or was donated before%s", ErrClosed, keepHint)
	}
	return errors.New("the donated buffer is in use by a run or a view")
}

// handle returns a new Buffer of the same array.
func (b *Buffer) handle() *Buffer {
	h := &Buffer{
		array:  array{life: new(lifetime), client: b.client, pjrt: b.pjrt, host: b.host, shape: b.shape},
		device: b.device, order: b.order, asked: b.asked,
	}
	h.ready.Store(b.ready.Load())
	return h
}

// CopyToDevice copies the array to a device of the same client. It does not wait for the copy, nor for
// the array to be computed: what uses the copy does. The buffer may be closed at once.
func (b *Buffer) CopyToDevice(device int) (*Buffer, error) {
	b.given("CopyToDevice")
	if b.host != nil {
		return b.copyOnHost(device)
	}
	const op = "copy to device"
	c := b.client
	switch {
	case device < 0 || device >= c.NumDevices():
		return nil, fmt.Errorf("bridge: %s: there is no device %d; the client has %d, numbered from 0", op, device,
			c.NumDevices())
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
	made := &Buffer{array: array{life: new(lifetime), client: b.client, pjrt: copied, shape: b.shape.Clone()},
		device: device, asked: b.asked}
	return made, b.done()
}
