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
	if d.buffer == nil {
		return nil, errors.New("the donated buffer is nil")
	}
	d.buffer.given("Take")
	if err := d.buffer.claim(); err != nil {
		return nil, err
	}
	forgottenArrays.Drop(&d.buffer.guard)
	return watched(d.buffer.handle(), nil)
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
		array:  array{life: new(lifetime), client: b.client, pjrt: b.pjrt, shape: b.shape},
		device: b.device, order: b.order, asked: b.asked,
	}
	h.ready.Store(b.ready.Load())
	return h
}
