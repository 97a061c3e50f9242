package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// An input is an Input that a run uses.
type input struct {
	use   engine.Use
	array *deviceArray
}

// takeInputs begins the use of all inputs. Its error is an *engine.InputError or an *engine.InputCountError. After an
// error, r.inputs has those that are in use.
func (r *Run) takeInputs(ctx context.Context, inputs []engine.Input) error {
	e := r.exec
	devices := e.NumDevices()
	if len(inputs)%devices != 0 {
		want := -1
		if e.known {
			want = len(e.params)
		}
		return &engine.InputCountError{Want: want, Got: len(inputs), Devices: devices}
	}
	perDevice := len(inputs) / devices
	if e.known && perDevice != len(e.params) {
		return &engine.InputCountError{Want: len(e.params), Got: len(inputs), Devices: devices}
	}
	r.inputs = r.few[:0]
	for i, in := range inputs {
		device := r.device
		if e.devices != nil {
			device = e.devices[i/perDevice]
		}
		taken, err := e.client.take(ctx, in, device)
		if err != nil {
			return &engine.InputError{Index: i, Err: err}
		}
		r.inputs = append(r.inputs, taken)
		if on := taken.array.device; on != device {
			return &engine.InputError{Index: i, Err: fmt.Errorf("the array is on device %d, but this run takes it on device %d: copy it with Array.CopyToDevice(%[2]d)", on, device)}
		}
		if order := taken.array.order; order != nil {
			return &engine.InputError{Index: i, Err: fmt.Errorf("the array is not row-major on its device (the order of its dimensions is %v), because the module that computed it has mhlo.layout_mode: remove that, or give the result of ToHost", order)}
		}
		if !e.known {
			continue
		}
		if want, got := e.params[i%perDevice], taken.array.shape; want.DType != tensor.Invalid &&
			want.DType != tensor.Token && !want.Equal(got) {
			return &engine.InputError{Index: i, Want: want.Clone(), Got: got.Clone(), Devices: devices}
		}
	}
	for i, in := range r.inputs {
		if in.use.Donated() != r.inputs[i%perDevice].use.Donated() {
			return &engine.InputError{Index: i,
				Err: errors.New("a parameter must be donated on every device or on none")}
		}
	}
	return nil
}

func (c *Client) take(ctx context.Context, in engine.Input, device int) (input, error) {
	switch in := in.(type) {
	case *engine.Array:
		return c.begin(in, in.Use)
	case engine.Donation:
		return c.begin(in.Array(), in.Use)
	case tensor.View:
		return c.takeView(ctx, in, device, false)
	case engine.Borrowed:
		return c.takeView(ctx, in.Tensor(), device, true)
	}
	return input{}, engine.ErrInput(in)
}

// begin begins the use of an array of the client.
func (c *Client) begin(a *engine.Array, use func() (engine.Use, error)) (input, error) {
	m, ok := a.Memory().(*deviceArray)
	if a != nil && (!ok || m.client != c) {
		return input{}, engine.ErrOther
	}
	u, err := use()
	return input{u, m}, err
}

// takeView makes an array that is freed when the run is over, because no other code has it.
func (c *Client) takeView(ctx context.Context, v tensor.View, device int, borrow bool) (input, error) {
	a, err := c.array(ctx, "ArrayFromHost", v, place{device: device, borrow: borrow})
	if err != nil {
		return input{}, err
	}
	return input{a.Only(), a.Memory().(*deviceArray)}, nil
}

// deviceOf returns the device for a run on one device: that of its first array, or that of the
// context.
func (c *Client) deviceOf(ctx context.Context, inputs []engine.Input) (int, error) {
	device := engine.DeviceOf(ctx, inputs)
	if device < 0 || device >= c.NumDevices() {
		return 0, fmt.Errorf("bridge: run: OnDevice: there is no device %d; the client has %d, numbered from 0", device,
			c.NumDevices())
	}
	return device, nil
}
