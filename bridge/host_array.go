package bridge

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// ArrayFromHost copies a host array to a device. The view's memory is not used any more
// when ArrayFromHost returns. If ctx ends first, ArrayFromHost returns ctx.Err(), and the
// array on the device is freed when its copy is over. The copy itself does not stop.
func (c *Client) ArrayFromHost(ctx context.Context, v tensor.View, device int) (*engine.Array, error) {
	c.given("ArrayFromHost")
	return watched(c.array(ctx, "ArrayFromHost", v, place{device: device}))
}

// BorrowFromHost is like ArrayFromHost, but the array on the device is the host array
// itself if that is possible; see [engine.Borrow]. The array must not change until the Array is
// closed and every run and view that uses it is over. Until then it is kept from the
// garbage collector. A borrowed array cannot be donated.
//
// In debug mode the Close that ends the use returns an error if the array changed. If the
// end of a run ends the use, the error is logged.
func (c *Client) BorrowFromHost(ctx context.Context, v tensor.View, device int) (*engine.Array, error) {
	c.given("BorrowFromHost")
	return watched(c.array(ctx, "BorrowFromHost", v, place{device: device, borrow: true}))
}

// A place is where a host array goes.
type place struct {
	device int
	borrow bool        // whether the array's own memory is used if canBorrow allows it
	memory pjrt.Memory // a memory of the device; its Kind is "" for the default one
}

// array makes an Array of a host array.
func (c *Client) array(ctx context.Context, method string, v tensor.View, to place) (*engine.Array, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if err := c.use(method); err != nil {
		return nil, err
	}
	m, copied, err := c.transfer(v, to)
	if err != nil {
		_ = c.done() // the error of the transfer says more
		return nil, err
	}
	a := engine.NewArray(m)
	u, err := a.Use()
	if err == nil {
		if err = await(ctx, u, "transfer to device", copied, nil); err != nil {
			_ = a.Close() // the error of the copy says more
		}
		_ = u.End()
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// transfer takes over one use of the client if it succeeds. The event, which may be nil, is
// that of the copy.
func (c *Client) transfer(v tensor.View, to place) (m *deviceArray, copied pjrt.Event, err error) {
	fail := func(format string, args ...any) (*deviceArray, pjrt.Event, error) {
		return nil, pjrt.Event{}, fmt.Errorf("bridge: transfer to device: "+format, args...)
	}
	if err := v.Shape.Check(); err != nil {
		return fail("%w", err)
	}
	if want := v.Shape.NumBytes(); len(v.Data) != want {
		return fail("the view of a %s has %d bytes and needs %d", v.Shape, len(v.Data), want)
	}
	dtype := element.ToPJRT(v.Shape.DType)
	if dtype == 0 {
		return fail("arrays of %s cannot be on a device", v.Shape.DType)
	}
	if to.device < 0 || to.device >= c.NumDevices() {
		return fail("there is no device %d; the client has %d, numbered from 0", to.device, c.NumDevices())
	}
	m = &deviceArray{client: c, shape: v.Shape.Clone(), device: to.device}
	if to.borrow && c.pinned == nil && canBorrow(v) {
		return m, copied, m.borrow(v, dtype)
	}
	if err := c.memory.reserve("transfer to device", 1, deviceBytes(m.shape), 0); err != nil {
		return nil, copied, err
	}
	if to.memory.Kind != "" {
		m.pjrt, copied, err = c.pjrt.PutIn(v.Data, dtype, m.shape.Dims, to.memory)
	} else {
		m.pjrt, copied, err = c.pjrt.Put(v.Data, dtype, m.shape.Dims, to.device)
	}
	if err != nil {
		c.memory.release(1, deviceBytes(m.shape))
		return nil, copied, pluginError("transfer to device", err)
	}
	return m, copied, nil
}
