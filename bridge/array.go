package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// A deviceArray is an array in the memory of a client's device. It implements engine.Memory.
type deviceArray struct {
	engine.Life
	client *Client
	pjrt   pjrt.Array
	shape  tensor.Shape
	device int
	order  []int       // of its dimensions in the device's memory, see hlo.Result
	asked  bool        // only the plugin knows the layout of its elements
	ready  atomic.Bool // whether it is known to be computed
	loan   *loan       // nil if it is no array of the host

	// The address of the elements, after the first call of address.
	address atomic.Pointer[byte]
}

// clientOf returns the client that an array belongs to, or nil if it is another engine's or in the host's memory.
func clientOf(a *engine.Array) *Client {
	if m, ok := a.Memory().(*deviceArray); ok {
		return m.client
	}
	return nil
}

// deviceBytes returns the size of an array in a device's memory.
func deviceBytes(s tensor.Shape) int64 {
	if bits := element.PackedBits(s.DType); bits != 0 {
		return int64(element.PackedSize(s.NumElements(), bits))
	}
	return int64(s.NumBytes())
}

// Shape implements engine.Memory.
func (m *deviceArray) Shape() tensor.Shape { return m.shape }

// Device implements engine.Memory.
func (m *deviceArray) Device() int { return m.device }

// InPlace implements engine.Memory.
func (m *deviceArray) InPlace(ctx context.Context, u engine.Use) ([]byte, error) {
	n := m.shape.NumBytes()
	if n == 0 || !m.plain() {
		return nil, nil
	}
	from, err := m.at(ctx, u)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(from, n), nil
}

// Copy implements engine.Memory.
func (m *deviceArray) Copy(ctx context.Context, u engine.Use) ([]byte, error) {
	if err := m.wait(ctx, u, "transfer to host"); err != nil {
		return nil, err
	}
	n := m.shape.NumBytes()
	if n == 0 {
		return []byte{}, nil
	}
	if m.direct() {
		from, err := m.at(ctx, u)
		if err != nil {
			return nil, err
		}
		// Unlike memory of make, this is not cleared first.
		data := append([]byte(nil), unsafe.Slice(from, n)...)[:n:n]
		return rowMajor(m.shape, m.order, data), nil
	}
	data := make([]byte, n)
	var pin runtime.Pinner
	pin.Pin(&data[0])
	copied, err := m.pjrt.ToHost(data)
	if err != nil {
		pin.Unpin()
		return nil, pluginError("transfer to host", err)
	}
	if err := await(ctx, u, "transfer to host", copied, pin.Unpin); err != nil {
		return nil, err
	}
	element.ExtendSign(m.shape.DType, data)
	return rowMajor(m.shape, m.order, data), nil
}

// direct reports whether the elements can be read in the device's memory.
func (m *deviceArray) direct() bool {
	return m.client.pinned == nil && !m.asked && element.PackedBits(m.shape.DType) == 0
}

// plain reports whether the device's memory has the layout of a host array.
func (m *deviceArray) plain() bool { return m.direct() && m.order == nil }

// at returns the address of the elements. It waits until they are computed.
func (m *deviceArray) at(ctx context.Context, u engine.Use) (*byte, error) {
	if err := m.wait(ctx, u, "transfer to host"); err != nil {
		return nil, err
	}
	if p := m.address.Load(); p != nil {
		return p, nil
	}
	p, err := m.pjrt.Pointer()
	if err != nil {
		return nil, pluginError("transfer to host", err)
	}
	if p == nil {
		return nil, errors.New("bridge: transfer to host: the plugin returned no address for the array")
	}
	m.address.Store((*byte)(p))
	return (*byte)(p), nil
}

// wait waits until the array is computed, or until ctx ends. Most arrays are computed, and
// wait only reads a flag.
func (m *deviceArray) wait(ctx context.Context, u engine.Use, op string) error {
	if err := dispatch.Ended(ctx); err != nil || m.ready.Load() {
		return err
	}
	computed, err := m.pjrt.Ready()
	if err != nil {
		return pluginError(op, err)
	}
	if err := await(ctx, u, op, computed, nil); err != nil {
		return err
	}
	m.ready.Store(true)
	return nil
}

// await waits until e is over, or until ctx ends. Then the array stays in use until e is
// over. over, which may be nil, is called once e is over, perhaps after await returns.
func await(ctx context.Context, u engine.Use, op string, e pjrt.Event, over func()) error {
	if over == nil {
		over = func() {}
	}
	if e.IsNil() {
		over()
		return nil
	}
	ended := make(chan error, 1)
	already, err := e.Notify(func(err error) { ended <- err })
	if !already {
		select {
		case err = <-ended:
		case <-ctx.Done():
			u = u.Again()
			go func() {
				<-ended
				over()
				_ = u.End() // there is no caller to return the error to
			}()
			return ctx.Err()
		}
	}
	over()
	if err != nil {
		return pluginError(op, err)
	}
	return nil
}

// CopyToDevice implements engine.Memory.
func (m *deviceArray) CopyToDevice(_ engine.Use, device int) (*engine.Array, error) {
	c := m.client
	switch {
	case device < 0 || device >= c.NumDevices():
		return nil, fmt.Errorf("there is no device %d; the client has %d, numbered from 0", device, c.NumDevices())
	case m.order != nil:
		return nil, fmt.Errorf("the array is not row-major on its device (the order of its dimensions is %v), because the module that computed it has mhlo.layout_mode: remove that, or copy the result of ToHost", m.order)
	}
	if err := c.use("CopyToDevice"); err != nil {
		return nil, err
	}
	size := deviceBytes(m.shape)
	if err := c.memory.reserve("copy to device", 1, size, 0); err != nil {
		return nil, errors.Join(err, c.done())
	}
	copied, err := c.pjrt.CopyTo(m.pjrt, device)
	if err != nil {
		c.memory.release(1, size)
		return nil, errors.Join(err, c.done())
	}
	made := &deviceArray{client: c, pjrt: copied, shape: m.shape, device: device, asked: m.asked}
	return watched(engine.NewArray(made), nil)
}

// Watched implements engine.Memory.
func (m *deviceArray) Watched() (at string, ok bool) { return m.client.line(), true }

// watched watches a new Array, which is nil if there is an error, and returns both.
func watched(a *engine.Array, err error) (*engine.Array, error) {
	if a != nil {
		at, _ := a.Memory().Watched()
		a.Watch(at)
	}
	return a, err
}

// NotClosed implements engine.Memory.
func (m *deviceArray) NotClosed(at string, err error) {
	m.client.forgot("an Array", at, "shape", m.shape.String())
	if err != nil {
		m.client.log(slog.LevelError, "bridge: an Array that was not closed", "error", err)
	}
}

// Free implements engine.Memory.
func (m *deviceArray) Free() error {
	var changed error
	if m.loan != nil {
		changed = m.loan.check(m.shape)
	}
	err := m.pjrt.Destroy()
	if err != nil {
		err = pluginError("close an array", err)
	}
	if m.loan != nil {
		m.loan.end(&m.client.memory)
	} else {
		m.client.memory.release(1, deviceBytes(m.shape))
	}
	return errors.Join(changed, err, m.client.done())
}
